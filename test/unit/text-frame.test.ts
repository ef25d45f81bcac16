import { Duplex } from "node:stream";
import fc from "fast-check";
import { WebSocket } from "ws";
import { encodeFrame, writeText } from "../../src/core/text-frame";

/** The frames of {@link encodeFrame} are those of ws, which is the oracle. */

const bytesOf = (frame: string | Buffer) =>
  typeof frame === "string" ? Buffer.from(frame, "latin1") : frame;

function frameOfWs(text: string): Buffer {
  const options = { fin: true, opcode: 1, mask: false, rsv1: false, readOnly: false };
  const { Sender } = WebSocket as unknown as {
    Sender: { frame(data: Buffer, options: object): Buffer[] };
  };
  return Buffer.concat(Sender.frame(Buffer.from(text), options));
}

/** A connection that keeps what it is given, chunk by chunk. */
class Recorded extends Duplex {
  readonly chunks: Buffer[] = [];

  constructor() {
    super({ decodeStrings: true });
  }

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.chunks.push(chunk);
    done();
  }

  override _read(): void {
    // Nothing is received.
  }
}

describe("a frame of text", () => {
  it.each([
    0, 1, 125, 126, 127, 128, 65_535, 65_536, 200_000,
  ])("has the bytes of ws for %i characters", (length) => {
    for (const character of ["a", "\u007F", "é", "€", "😀"]) {
      const text = character.repeat(length);
      expect(bytesOf(encodeFrame(text)).equals(frameOfWs(text))).toBe(true);
    }
  });

  it("has the bytes of ws for every text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 300 }), (text) => {
        expect(bytesOf(encodeFrame(text)).equals(frameOfWs(text))).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });

  it("is one write on each connection, whichever text was written last", () => {
    const [one, other] = [new Recorded(), new Recorded()];
    const texts = ["<a/>", "<é/>", "<é/>", "<a/>", "", "x".repeat(70_000)];
    let written = 0;
    for (const text of texts) {
      for (const connection of [one, other]) {
        writeText(connection, text, () => {
          written += 1;
        });
      }
    }
    for (const { chunks } of [one, other]) {
      expect(chunks.map(String)).toEqual(texts.map((text) => String(frameOfWs(text))));
    }
    return new Promise((resolve) => setImmediate(resolve)).then(() =>
      expect(written).toBe(2 * texts.length),
    );
  });
});
