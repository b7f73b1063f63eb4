// A page whose documents are in English, as the scripts that are imported after this one find it.
globalThis.document = { querySelector: () => ({ dataset: { stemmer: "english" } }) };
