// Rules for scripts: those that find faults. Their layout is the authors' own.
import js from "@eslint/js";
import globals from "globals";

const faults = {
  "array-callback-return": "error",
  "consistent-return": "error",
  eqeqeq: ["error", "always", { null: "ignore" }],
  "no-constructor-return": "error",
  "no-duplicate-imports": "error",
  "no-eval": "error",
  "no-implicit-coercion": ["error", { boolean: false }],
  "no-implied-eval": "error",
  "no-loop-func": "error",
  "no-new-func": "error",
  "no-param-reassign": "error",
  "no-promise-executor-return": "error",
  "no-return-assign": "error",
  "no-self-compare": "error",
  "no-shadow": "error",
  "no-template-curly-in-string": "error",
  "no-throw-literal": "error",
  "no-unmodified-loop-condition": "error",
  "no-unreachable-loop": "error",
  "no-unused-expressions": "error",
  "no-unused-vars": ["error", { args: "all", caughtErrors: "all", ignoreRestSiblings: true }],
  "no-use-before-define": ["error", { functions: false, classes: false, variables: false }],
  "no-var": "error",
  "object-shorthand": "error",
  "prefer-const": "error",
  "prefer-promise-reject-errors": "error",
  radix: "error",
  "require-atomic-updates": "off",
  "symbol-description": "error",
};

export default [
  { ignores: [".venv/", ".tools/", ".documentation/", "staticfiles/"] },
  { linterOptions: { reportUnusedDisableDirectives: "error" } },
  js.configs.recommended,
  { rules: faults },
  { files: ["static/**/*.js"], languageOptions: { globals: globals.browser } },
  { files: ["static/assess/offline/worker.js"], languageOptions: { globals: globals.serviceworker, sourceType: "script" } },
  { files: ["tests/front_end/**/*.js", "*.js"], languageOptions: { globals: globals.node } },
];
