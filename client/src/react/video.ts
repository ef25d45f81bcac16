import {
  type ComponentPropsWithoutRef,
  createElement,
  type ReactElement,
  useCallback,
} from "react";

/** Properties of {@link Video}: those of a `video` element, besides its stream. */
export interface VideoProps extends Omit<ComponentPropsWithoutRef<"video">, "src"> {
  /** What is shown; nothing if null. */
  readonly stream: MediaStream | null;
}

/**
 * A `video` element that plays a stream. Mute that of the own camera, or the user hears himself.
 *
 * @example
 * ```tsx
 * import { Video } from "@signalbox/client/react";
 *
 * export function Mirror({ stream }: { stream: MediaStream | null }) {
 *   return <Video stream={stream} muted className="mirror" />;
 * }
 * ```
 */
export function Video({ stream, ...attributes }: VideoProps): ReactElement {
  const show = useCallback(
    (element: HTMLVideoElement | null) => {
      if (element && element.srcObject !== stream) element.srcObject = stream;
    },
    [stream],
  );
  return createElement("video", { autoPlay: true, playsInline: true, ...attributes, ref: show });
}
