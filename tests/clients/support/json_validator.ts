import assert from "node:assert/strict";
import ajv2020 from "ajv/dist/2020.js";
import addFormats from "ajv-formats";

/** Creates a function that throws if a value does not match a schema of the document. */
export function jsonValidator(document: object): (schema: object, value: unknown) => void {
  // Not strict: the document has keywords that JSON Schema does not know, such as discriminator.
  const ajv = new ajv2020.Ajv2020({ strict: false, allErrors: true });
  addFormats.default(ajv);
  ajv.addSchema(document, "document");
  return (schema, value) => {
    const text = JSON.stringify(schema).replaceAll('"#/', '"document#/');
    const validate = ajv.compile(JSON.parse(text));
    assert.ok(validate(value), ajv.errorsText(validate.errors));
  };
}
