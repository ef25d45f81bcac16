import { readFileSync } from "node:fs";
import { join } from "node:path";

/** An example of docs/PUSH.md: what is sent, and what the push services receive at 2026-11-21 10:00:00 UTC. */
export interface PrintedPushes {
  sent: string;
  apnsHeaders: string;
  apns: object;
  gcm: object;
  webTtl: number;
  web: object;
}

/** Reads the example of docs/PUSH.md whose sent message is in a code block of this language. */
export function printedPushes(language: "json" | "graphql"): PrintedPushes {
  const document = readFileSync(join(__dirname, "../../../docs/PUSH.md"), "utf8");
  const example = new RegExp(
    `\`\`\`${language}\\n([^\`]*)\`\`\`\\n\\nat 2026-11-21 10:00:00 UTC[^\`]*\`\`\`\\n([^\`]*)\`\`\``,
  );
  const [, sent = "", received = ""] = example.exec(document) ?? [];
  const [, apnsHeaders = "", apns = "", gcm = "", ttl = "", web = ""] =
    /^apns {2}(.*)\n([\s\S]*)gcm([\s\S]*)web {3}TTL: (\d+)\n([\s\S]*)$/.exec(received) ?? [];
  return {
    sent,
    apnsHeaders,
    apns: JSON.parse(apns),
    gcm: JSON.parse(gcm),
    webTtl: Number(ttl),
    web: JSON.parse(web),
  };
}

/** The headers of a push to Apple as docs/PUSH.md prints them. */
export function printedHeaders(push: {
  pushType: string;
  priority: number;
  expiration: number | null;
}): string {
  return `apns-push-type: ${push.pushType}, apns-priority: ${push.priority}, apns-expiration: ${push.expiration}`;
}
