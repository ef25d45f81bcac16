/** Types of the part of ltx that is used here; the package has none. */
declare module "ltx" {
  export type Node = Element | string;

  export class Element {
    constructor(name: string, attrs?: Record<string, string>);
    name: string;
    parent: Element | null;
    attrs: Record<string, string | undefined>;
    children: Node[];
    append(...nodes: Node[]): void;
    getText(): string;
  }
}
