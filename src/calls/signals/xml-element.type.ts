import { GraphQLJSONObject } from "graphql-scalars";
import { Field, ObjectType } from "type-graphql";
import type { XmlElement } from "./signal";

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
