/**
 * Options of graphql-codegen for clients of schema.graphql. Copy this file beside the codegen.ts of your project;
 * docs/CODEGEN.md of Signalbox describes it.
 */

/** TypeScript types of the scalars: `input` is what a client may send, `output` is what it receives. */
export const scalars = {
  ID: { input: "string | number", output: "string" },
  DateTime: { input: "string | number", output: "string" },
  SafeInt: { input: "number", output: "number" },
  JSON: { input: "unknown", output: "unknown" },
  JSONObject: { input: "Record<string, unknown>", output: "Record<string, unknown>" },
};

/** Options of every output. A scalar without a type above stops the generator, instead of becoming `any`. */
const shared = { scalars, strictScalars: true, useTypeImports: true };

/** Options of the client preset. Enums become constant objects and unions of their values. */
export const clientConfig = { ...shared, enumType: "const" };

/** Options of the plugin `typescript` for a file that has only the enums, in the same form. */
export const enumsConfig = { ...shared, onlyEnums: true, enumsAsConst: true };

/**
 * The `generates` of a codegen.ts: the client preset in a folder, and all enums in its file `enums.ts`. The client
 * preset writes only the enums that an operation uses, and no operation uses ErrorCode.
 * @param folder where the generated files go; it ends with a slash
 */
export function clientTypes(folder: string) {
  return {
    [folder]: { preset: "client" as const, config: clientConfig },
    [`${folder}enums.ts`]: { plugins: ["typescript"], config: enumsConfig },
  };
}
