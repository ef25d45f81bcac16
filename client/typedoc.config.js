/** @type {Partial<import("typedoc").TypeDocOptions>} */
export default {
  name: "@signalbox/client",
  entryPoints: ["src/index.ts", "src/admin/index.ts", "src/server/index.ts", "src/react/index.ts"],
  out: "docs",
  excludePrivate: true,
  disableSources: true,
  treatValidationWarningsAsErrors: true,
  requiredToBeDocumented: ["Variable", "Function", "Class", "Interface", "TypeAlias", "Method"],
  // Types of the schema are not exported one by one: TypeScript infers them.
  validation: { notExported: false, invalidLink: true, notDocumented: true },
};
