import { once } from "node:events";
import { WebSocket } from "ws";
import { auth, bind, DOMAIN, OPEN } from "../../chat/chat";
import { BasePhone, type Unacknowledged } from "./phone";

const SM = "urn:xmpp:sm:3";

/** A phone over XMPP on WebSocket with stream management (XEP-0198), which resumes or binds again. */
export class XmppPhone extends BasePhone {
  private socket: WebSocket | undefined;
  private signedIn = false;
  private managed = false;
  private previd: string | undefined;
  /** Number of handled stanzas since stream management was enabled. */
  private handled = 0;
  /** Ids of the stanzas sent since then. */
  private written: string[] = [];
  /** Number of those that are acknowledged. */
  private confirmed = 0;
  /** Number of resumptions. */
  resumed = 0;
  /** Number of failed resumptions, after which it bound again. */
  rebound = 0;

  protected async connect({ chatUrl }: { chatUrl: string }): Promise<void> {
    const socket = new WebSocket(chatUrl, "xmpp");
    this.socket = socket;
    this.signedIn = false;
    this.managed = false;
    const { id, applicationId, token } = this.owner;
    socket.on("error", () => undefined);
    socket.on("open", () => {
      for (const frame of [OPEN, auth(`${id}-${applicationId}`, token)]) socket.send(frame);
    });
    socket.on("message", (data) => this.handle(String(data)));
    await once(socket, "close");
    this.managed = false;
  }

  protected transmit(entry: Unacknowledged): void {
    if (!this.managed) return;
    this.written.push(entry.id);
    this.write(stanzaOf(entry));
    this.write(`<r xmlns="${SM}"/>`);
  }

  protected hangUp(): void {
    this.socket?.close();
  }

  private write(frame: string): void {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(frame);
  }

  private handle(frame: string): void {
    if (frame.startsWith("<success")) {
      this.signedIn = true;
      this.write(OPEN);
    } else if (frame.includes("<stream:features") && this.signedIn) {
      const resume = `<resume xmlns="${SM}" previd="${this.previd}" h="${this.handled}"/>`;
      this.write(this.previd === undefined ? bind("phone") : resume);
    } else if (frame.startsWith("<resumed")) {
      this.resumed++;
      this.confirm(countOf(frame));
      this.written.length = this.confirmed;
      this.begin();
    } else if (frame.startsWith("<failed")) {
      // Kept until there is another stream: only a resumption gets what was missed, should the bind fail.
      this.rebound++;
      this.write(bind("phone"));
    } else if (frame.startsWith("<iq") && frame.includes('type="error"')) {
      // The bind was refused, since Redis may be away.
      this.hangUp();
    } else if (frame.includes("<jid>")) {
      this.handled = 0;
      this.written = [];
      this.confirmed = 0;
      this.write(`<enable xmlns="${SM}" resume="true"/>`);
    } else if (frame.startsWith("<enabled")) {
      this.previd = /id="([^"]+)"/.exec(frame)?.[1];
      this.write(`<presence xmlns="jabber:client"/>`);
      this.written.push("");
      this.begin();
    } else if (frame.startsWith("<r ")) this.write(`<a xmlns="${SM}" h="${this.handled}"/>`);
    else if (frame.startsWith("<a ")) this.confirm(countOf(frame));
    else if (/^<(message|iq|presence)[ >]/.test(frame)) this.take(frame);
  }

  /** Stream management is on: sends the unacknowledged signals again. */
  private begin(): void {
    this.managed = true;
    for (const entry of this.unacknowledged.values()) this.transmit(entry);
    this.tellReady();
  }

  private confirm(count: number): void {
    for (; this.confirmed < count; this.confirmed++) {
      const id = this.written[this.confirmed];
      if (id) this.acknowledge(id);
    }
  }

  /** Retries a refused stanza, since Redis may be away. */
  private refused(id: string): void {
    const at = this.written.indexOf(id, this.confirmed);
    if (at >= 0) this.written[at] = "";
    const entry = this.unacknowledged.get(id);
    if (entry) setTimeout(() => this.transmit(entry), 300);
  }

  private take(frame: string): void {
    this.handled = (this.handled + 1) % 2 ** 32;
    const id = /^<message [^>]*\bid="([^"]+)"/.exec(frame)?.[1];
    if (id !== undefined && /^<message [^>]*\btype="error"/.test(frame)) this.refused(id);
    else if (id !== undefined) this.note(id);
    if (frame.startsWith("<iq") && frame.includes("urn:xmpp:ping")) {
      const pingId = /\bid="([^"]+)"/.exec(frame)?.[1];
      this.written.push("");
      this.write(`<iq xmlns="jabber:client" type="result" id="${pingId}"/>`);
    }
  }
}

const countOf = (frame: string) => Number(/\bh="(\d+)"/.exec(frame)?.[1] ?? 0);

function stanzaOf({ to, id }: Unacknowledged): string {
  const address = `${to.id}-${to.applicationId}@${DOMAIN}`;
  return `<message xmlns="jabber:client" type="headline" to="${address}" id="${id}"><extraParams><moduleIdentifier>WebRTCVideoChat</moduleIdentifier><signalType>update</signalType><sessionID>endurance</sessionID></extraParams></message>`;
}
