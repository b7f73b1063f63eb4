// Rules for style sheets: those that find faults.
export default {
  extends: "stylelint-config-standard",
  rules: {
    // Layout is the authors' own: short rules stand on one line, and blank lines part what belongs together.
    "at-rule-empty-line-before": null,
    "comment-empty-line-before": null,
    "custom-property-empty-line-before": null,
    "declaration-block-single-line-max-declarations": null,
    "declaration-empty-line-before": null,
    "rule-empty-line-before": null,
    "color-hex-length": null,
    // Browsers of before 2023 know only min-width and max-width.
    "media-feature-range-notation": "prefix",
    // Rules about one part stand together, whatever their specificity.
    "no-descending-specificity": null,
    // Names of the API's description page, of Django's forms, and of fonts are not ours.
    "selector-class-pattern": ["^[a-z][a-z0-9]*(-[a-z0-9]+)*(__[a-z0-9]+(-[a-z0-9]+)*)?$"],
    "selector-id-pattern": ["^(id_)?[a-z][a-z0-9]*(-[a-z0-9]+)*$"],
    "value-keyword-case": ["lower", { ignoreKeywords: ["Inter", "Roboto", "Consolas"] }],
    // Safari on iPhones enlarges text without it.
    "property-no-vendor-prefix": [true, { ignoreProperties: ["-webkit-text-size-adjust"] }],
  },
};
