import { GraphQLJSONObject } from "graphql-scalars";
import { Field, InputType, ObjectType } from "type-graphql";
import type { XmlElement } from "../../../platform/xml/xml-element";

@ObjectType("XmlAttribute", {
  description: "An attribute of an XML element.",
  simpleResolvers: true,
})
export class XmlAttributeType {
  @Field({ description: "Name, with its prefix if it has one." })
  name!: string;

  @Field({ description: "Value." })
  value!: string;
}

@ObjectType("XmlElement", { description: "An XML element that is not part of the protocol." })
export class XmlElementType {
  @Field({ description: "Name; `#text` for a run of text in mixed content." })
  name!: string;

  @Field(() => String, {
    nullable: true,
    description: "Namespace where it differs from the parent's (`jabber:client` at the top).",
  })
  namespace?: string;

  @Field(() => [XmlAttributeType], { name: "attributes", description: "Attributes." })
  attributeList!: XmlAttributeType[];

  @Field(() => String, { nullable: true, description: "Text of an element without children." })
  text?: string;

  @Field(() => [XmlElementType], { description: "Child elements, in order." })
  children!: XmlElementType[];

  @Field(() => GraphQLJSONObject, {
    description:
      "The element with all its descendants: `{name, namespace, attributes: {name: value}, text, children: […]}`.",
  })
  tree!: XmlElement;
}

@InputType({ description: "An attribute of an XML element." })
export class XmlAttributeInput {
  @Field({ description: "Name." })
  name!: string;

  @Field({ description: "Value." })
  value!: string;
}

@InputType({ description: "An XML element." })
export class XmlElementInput {
  @Field({ description: "Name; `#text` for a run of text in mixed content." })
  name!: string;

  @Field(() => String, {
    nullable: true,
    description: "Namespace where it differs from the parent's.",
  })
  namespace?: string | null;

  @Field(() => [XmlAttributeInput], { nullable: true, description: "Attributes." })
  attributes?: XmlAttributeInput[] | null;

  @Field(() => String, { nullable: true, description: "Text of an element without children." })
  text?: string | null;

  @Field(() => [XmlElementInput], { nullable: true, description: "Child elements, in order." })
  children?: XmlElementInput[] | null;
}

/** Converts an element to its GraphQL type. */
export function elementToGraphql(element: XmlElement): XmlElementType {
  const { name, namespace, attributes = {}, text, children = [] } = element;
  return {
    name,
    namespace,
    attributeList: Object.entries(attributes).map(([key, value]) => ({ name: key, value })),
    text,
    children: children.map(elementToGraphql),
    tree: element,
  };
}

/** Converts a GraphQL input to an element. */
export function elementFromInput(input: XmlElementInput): XmlElement {
  const element: XmlElement = { name: input.name };
  if (typeof input.namespace === "string") element.namespace = input.namespace;
  if (input.attributes?.length) {
    element.attributes = Object.fromEntries(
      input.attributes.map(({ name, value }) => [name, value]),
    );
  }
  if (typeof input.text === "string") element.text = input.text;
  if (input.children?.length) element.children = input.children.map(elementFromInput);
  return element;
}
