/**
 * A service worker to copy to the root of a web app. It shows push notifications of Signalbox, opens or focuses the
 * page on a click, rings for incoming calls, and tells open pages when the browser has changed its subscription.
 * A service worker of the application's own loads it by importScripts("/signalbox-sw.js").
 */
{
  /** Title of a push that has none. */
  const TITLE = new URL(self.registration.scope).hostname;
  /** Time in which a page must answer, in milliseconds. */
  const ANSWER_MS = 1_000;

  self.addEventListener("install", () => self.skipWaiting());
  self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));

  self.addEventListener("push", (event) => event.waitUntil(receive(contentOf(event.data))));

  self.addEventListener("notificationclick", (event) => {
    event.notification.close();
    event.waitUntil(open(event.notification.data));
  });

  // The browser has replaced or dropped its subscription. Pages subscribe it at the service, now or at their next start.
  self.addEventListener("pushsubscriptionchange", (event) =>
    event.waitUntil(tellPages({ type: "signalbox.change" })),
  );

  /** The JSON of a push; a text that is none becomes the body of a notification. */
  function contentOf(data) {
    const text = data?.text() ?? "";
    try {
      const content = JSON.parse(text);
      if (typeof content === "object" && content !== null) return content;
    } catch {
      // Not JSON.
    }
    return { body: text };
  }

  async function receive(content) {
    const pages = await tellPages({ type: "signalbox.push", content });
    const isEnd = ["END", "MISSED"].includes(content.call?.type);
    const isRinging = !isEnd && Date.parse(content.call?.expiresAt) > Date.now();
    if (isEnd) await closeRing(content.call);
    // Browsers require a notification for each push, except while a page is visible.
    if ((isRinging || isEnd) && (await ringsItself(pages))) return;
    if (Number.isSafeInteger(content.appBadge))
      await self.navigator.setAppBadge?.(content.appBadge);
    const [title, options] = content.call
      ? callNotification(content.call, isRinging)
      : notification(content);
    await self.registration.showNotification(title, options);
  }

  /** Whether a visible page rings by itself: it follows pushes, and the signals reach it over its own connection. */
  function ringsItself(pages) {
    const answers = pages
      .filter(({ visibilityState }) => visibilityState === "visible")
      .map(
        (page) =>
          new Promise((resolve, reject) => {
            const { port1, port2 } = new MessageChannel();
            port1.onmessage = resolve;
            setTimeout(reject, ANSWER_MS);
            page.postMessage({ type: "signalbox.ring" }, [port2]);
          }),
      );
    return Promise.any(answers).then(
      () => true,
      () => false,
    );
  }

  function notification({ title, body, message, icon, image, tag, data }) {
    return [text(title) ?? TITLE, { body: text(body) ?? text(message), icon, image, tag, data }];
  }

  /** Why a call no longer rings, where it was not missed. */
  const ENDS = {
    ANSWERED_ELSEWHERE: "Answered on another device",
    DECLINED_ELSEWHERE: "Declined on another device",
  };

  /** Rings until the user answers or the call ends; a push that arrives too late says that the call was missed. */
  function callNotification({ callId, callType, callerName, reason }, isRinging) {
    const kind = callType === "VIDEO" ? "video call" : "call";
    return [
      text(callerName) ?? TITLE,
      {
        body: isRinging
          ? `Incoming ${kind}`
          : Object.hasOwn(ENDS, reason)
            ? ENDS[reason]
            : `Missed ${kind}`,
        tag: tagOf(callId),
        requireInteraction: isRinging,
        silent: !isRinging,
        ...(isRinging && { vibrate: [400, 200, 400] }),
        data: { callId },
      },
    ];
  }

  const tagOf = (callId) => `call-${callId}`;

  /** Ends the ringing of a call, before a notification says why: some browsers do not replace one that is shown. */
  async function closeRing({ callId }) {
    for (const shown of await self.registration.getNotifications({ tag: tagOf(callId) }))
      shown.close();
  }

  const text = (value) => (typeof value === "string" && value !== "" ? value : undefined);

  /** Focuses the page, or opens one. It then connects, and receives the call that still rings. */
  async function open(data) {
    const [page] = await pagesOf();
    if (!page) return self.clients.openWindow(urlOf(data));
    page.postMessage({ type: "signalbox.click", data });
    return page.focus();
  }

  /** `data.url` of a push within the app. Users may send pushes, so no other site is opened. */
  function urlOf(data) {
    const { scope } = self.registration;
    try {
      const url = new URL(data?.url ?? "", scope);
      return url.origin === new URL(scope).origin ? url.href : scope;
    } catch {
      return scope;
    }
  }

  /** The open pages, the one used last first. */
  const pagesOf = () => self.clients.matchAll({ type: "window", includeUncontrolled: true });

  async function tellPages(message) {
    const pages = await pagesOf();
    for (const page of pages) page.postMessage(message);
    return pages;
  }
}
