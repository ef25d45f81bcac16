import { BellIcon, GlobeAltIcon, PhotoIcon, SpeakerWaveIcon } from "@heroicons/react/24/outline";
import type { PreviewPushMutation, PushChannel } from "./compose.generated.ts";
import { pushStrings } from "./strings.ts";

const texts = pushStrings.preview;
type DryRun = NonNullable<PreviewPushMutation["createPushEvent"]["dryRun"]>;
type Display = DryRun["channels"][number]["display"];

/** The colors of a device. */
export type Scheme = "light" | "dark";

/** A part of a device's screen with a notification on it. Pictures stand as their addresses: the page loads none. */
export function Screen({
  channel,
  display,
  app,
  scheme,
}: {
  channel: PushChannel;
  display: Display;
  /** Name of the app. */
  app: string;
  scheme: Scheme;
}) {
  const { visible, sound } = display;
  const kind = { APNS: "ios", APNS_VOIP: "ios", GCM: "android", FCM: "android", WEB: "browser" }[
    channel
  ];
  const Notification = { ios: OnApple, android: OnAndroid, browser: InBrowser }[kind] ?? OnApple;
  return (
    <figure
      className={`screen screen-${kind} screen-${scheme}`}
      aria-label={texts.screen(pushStrings.channels[channel])}
    >
      {visible ? (
        <Notification display={display} app={app} />
      ) : (
        <p className="screen-none">
          <BellIcon width={20} aria-hidden />
          {channel === "APNS_VOIP" ? texts.wakesCall : texts.wakes}
        </p>
      )}
      {sound && (
        <p className="screen-sound">
          <SpeakerWaveIcon width={14} aria-hidden />
          {texts.sound(sound)}
        </p>
      )}
    </figure>
  );
}

interface PartProps {
  display: Display;
  app: string;
}

/** The icon of the app with its badge. */
function AppIcon({ app, badge }: { app: string; badge: Display["badge"] }) {
  return (
    <span className="note-icon">
      {(app.trim()[0] ?? "•").toUpperCase()}
      {typeof badge === "number" && badge > 0 && (
        <span className="note-badge" role="img" aria-label={texts.badge(badge)}>
          {badge > 99 ? "99+" : badge}
        </span>
      )}
    </span>
  );
}

/** A text, or the key of one that the app has in the device's language. */
function Words({
  text,
  textKey,
  className,
}: {
  text?: string | null;
  textKey?: string | null;
  className: string;
}) {
  if (text) return <p className={className}>{text}</p>;
  if (!textKey) return null;
  return <p className={`${className} note-key`}>{texts.locKey(textKey)}</p>;
}

function Picture({ url }: { url?: string | null }) {
  if (!url) return null;
  return (
    <p className="note-picture">
      <PhotoIcon width={18} aria-hidden />
      <span>
        {texts.picture}: {url}
      </span>
    </p>
  );
}

function OnApple({ display, app }: PartProps) {
  return (
    <div className="note">
      <AppIcon app={app} badge={display.badge} />
      <div className="note-text">
        <div className="note-line">
          {display.title || display.titleLocKey ? (
            <Words text={display.title} textKey={display.titleLocKey} className="note-title" />
          ) : (
            <p className="note-title">{app}</p>
          )}
          <span className="note-time">{texts.now}</span>
        </div>
        <Words text={display.subtitle} className="note-subtitle" />
        <Words text={display.body} textKey={display.bodyLocKey} className="note-body" />
      </div>
    </div>
  );
}

function OnAndroid({ display, app }: PartProps) {
  return (
    <div className="note">
      <AppIcon app={app} badge={display.badge} />
      <div className="note-text">
        <p className="note-app">
          {app} · {texts.now}
        </p>
        <Words text={display.title} textKey={display.titleLocKey} className="note-title" />
        <Words text={display.body} textKey={display.bodyLocKey} className="note-body" />
        <Picture url={display.imageUrl} />
      </div>
    </div>
  );
}

function InBrowser({ display, app }: PartProps) {
  return (
    <div className="note">
      <AppIcon app={app} badge={display.badge} />
      <div className="note-text">
        <Words text={display.title} className="note-title" />
        <Words text={display.body} className="note-body" />
        <Picture url={display.imageUrl} />
        <p className="note-app">
          <GlobeAltIcon width={13} aria-hidden />
          {texts.site}
        </p>
      </div>
    </div>
  );
}
