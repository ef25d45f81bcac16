/** Fields of a deployment file, which tests look into freely. */
// biome-ignore lint/suspicious/noExplicitAny: objects of many kinds
export type Fields = any;
