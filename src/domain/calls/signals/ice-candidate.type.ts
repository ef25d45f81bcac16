import { Field, InputType, Int, ObjectType } from "type-graphql";
import { XmlElementInput, XmlElementType } from "./xml-element.type";

@ObjectType("IceCandidate", { description: "An ICE candidate.", simpleResolvers: true })
export class IceCandidateType {
  @Field(() => Int, {
    nullable: true,
    description: "Index of the media description that it belongs to.",
  })
  sdpMLineIndex!: number | null;

  @Field(() => String, {
    nullable: true,
    description: "Identification tag of the media description.",
  })
  sdpMid!: string | null;

  @Field(() => String, {
    nullable: true,
    description: "The candidate-attribute (RFC 8839 section 5.1).",
  })
  candidate!: string | null;

  @Field(() => [XmlElementType], { description: "Further child elements." })
  extra!: XmlElementType[];
}

@InputType({ description: "An ICE candidate." })
export class IceCandidateInput {
  @Field(() => Int, {
    nullable: true,
    description: "Index of the media description that it belongs to.",
  })
  sdpMLineIndex?: number | null;

  @Field(() => String, {
    nullable: true,
    description: "Identification tag of the media description.",
  })
  sdpMid?: string | null;

  @Field(() => String, {
    nullable: true,
    description: "The candidate-attribute (RFC 8839 section 5.1).",
  })
  candidate?: string | null;

  @Field(() => [XmlElementInput], { nullable: true, description: "Further child elements." })
  extra?: XmlElementInput[] | null;
}
