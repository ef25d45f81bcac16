import { setNonce } from "get-nonce";

const meta = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]');

/** The nonce with which this page may add style elements. */
export const styleNonce = meta?.nonce ?? "";

// For the packages that add style elements without Mantine: the lock of scrolling behind dialogs.
setNonce(styleNonce);
