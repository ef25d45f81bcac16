import type { RtcConfig } from "node-datachannel";
import { monotonicNow, systemClock } from "../../../../../core/clock";
import { newId, newToken } from "../../../../../core/random";
import { generateSelfSigned } from "../../../../../core/tls/self-signed";
import {
  carrierSection,
  closePeerConnection,
  gathered,
  type Network,
  openPeerConnection,
} from "./native-connection";

/** For how long the addresses of the host are taken as unchanged, in milliseconds. */
const TEMPLATE_MS = 5_000;

/** The short-term credentials of one offer (RFC 8445 section 5.3). */
export interface IceCredentials {
  iceUfrag: string;
  icePwd: string;
}

/** Certificate and key in PEM, by the library's names, which take the text as well as a file. */
type PemOptions = Required<Pick<RtcConfig, "certificatePemFile" | "keyPemFile">>;

/** What an offer says of its transport, and what a connection needs to be that transport. */
export interface DescribedTransport {
  /** An SDP of the library with one media section. */
  sdp: string;
  credentials: IceCredentials;
  certificate: PemOptions;
}

/**
 * Describes transports before they are opened: the addresses that the library finds, the certificate of all offers of
 * this process, and credentials of their own. So an offer that nobody answers costs no port and no thread.
 */
export class OfferTransport {
  private certificate: Promise<PemOptions> | null = null;
  private template: { sdp: Promise<string>; until: number } | null = null;

  constructor(private readonly network: Network) {}

  /** A transport with new credentials. @throws Fault UNAVAILABLE */
  async describe(): Promise<DescribedTransport> {
    this.certificate ??= newCertificate();
    const certificate = await this.certificate;
    if (!this.template || this.template.until <= monotonicNow()) {
      const sdp = this.gather(certificate);
      const template = { sdp, until: monotonicNow() + TEMPLATE_MS };
      this.template = template;
      sdp.catch(() => {
        if (this.template === template) this.template = null;
      });
    }
    const credentials = { iceUfrag: iceText(newId()), icePwd: iceText(newToken()) };
    const sdp = withCredentials(await this.template.sdp, credentials);
    return { sdp, credentials, certificate };
  }

  /** The offer of a connection that is closed at once. */
  private async gather(certificate: PemOptions): Promise<string> {
    const options = { ...certificate, disableAutoNegotiation: true };
    const native = openPeerConnection("template", this.network, options);
    try {
      // Its section is not offered to anybody.
      native.addTrack(carrierSection("0"));
      return await gathered(native, () => native.setLocalDescription("offer"));
    } finally {
      closePeerConnection(native);
    }
  }
}

async function newCertificate(): Promise<PemOptions> {
  const { cert, key } = await generateSelfSigned("localhost", systemClock.now());
  return { certificatePemFile: cert, keyPemFile: key };
}

/** ICE has no `-` and `_` (`ice-char`, RFC 8839 section 5.4). */
const iceText = (text: string) => text.replaceAll("-", "+").replaceAll("_", "/");

const withCredentials = (sdp: string, { iceUfrag, icePwd }: IceCredentials) =>
  sdp
    .replaceAll(/^a=ice-ufrag:.*$/gm, `a=ice-ufrag:${iceUfrag}`)
    .replaceAll(/^a=ice-pwd:.*$/gm, `a=ice-pwd:${icePwd}`);
