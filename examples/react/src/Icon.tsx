/** Paths of icons in a square of 24. */
const PATHS = {
  phone:
    "M6.6 3.5 9 3l2 4.6-1.9 1.6a11 11 0 0 0 5.7 5.7l1.6-1.9L21 15l-.5 2.4A3.3 3.3 0 0 1 17.2 20 14.7 14.7 0 0 1 4 6.8a3.3 3.3 0 0 1 2.6-3.3Z",
  hangUp:
    "M12 9c-3.6 0-6.8 1-9 2.8-.6.5-.7 1.3-.4 2l.9 1.8c.3.7 1.1 1 1.8.7l2.6-1c.6-.2 1-.8 1-1.4v-1.7a12 12 0 0 1 6.2 0v1.7c0 .6.4 1.2 1 1.4l2.6 1c.7.3 1.5 0 1.8-.7l.9-1.8c.3-.7.2-1.5-.4-2C18.8 10 15.6 9 12 9Z",
  camera:
    "M4 7.5A1.5 1.5 0 0 1 5.5 6h8A1.5 1.5 0 0 1 15 7.5v9a1.5 1.5 0 0 1-1.5 1.5h-8A1.5 1.5 0 0 1 4 16.5Zm11 3 5-3v9l-5-3",
  microphone:
    "M12 3a3 3 0 0 1 3 3v5a3 3 0 0 1-6 0V6a3 3 0 0 1 3-3Zm-6.5 8a6.5 6.5 0 0 0 13 0M12 17.5V21",
  screen:
    "M3.5 6A1.5 1.5 0 0 1 5 4.5h14A1.5 1.5 0 0 1 20.5 6v9a1.5 1.5 0 0 1-1.5 1.5H5A1.5 1.5 0 0 1 3.5 15ZM8 20h8M12 13.5v-6m0 0-2.5 2.5M12 7.5l2.5 2.5",
  devices:
    "M4 7h9m4 0h3M4 17h3m4 0h9M13 7a2 2 0 1 0 4 0 2 2 0 1 0-4 0ZM7 17a2 2 0 1 0 4 0 2 2 0 1 0-4 0Z",
  people:
    "M9 11a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7Zm-6.5 9a6.5 6.5 0 0 1 13 0M16 4.5a3.5 3.5 0 0 1 0 6.5m2 3a6.5 6.5 0 0 1 3.5 6",
} as const;

/** The name of an icon. */
export type IconName = keyof typeof PATHS;

/** An icon. @param isOff draws a line through it */
export function Icon({ name, isOff = false }: { name: IconName; isOff?: boolean }) {
  return (
    <svg className="icon" viewBox="0 0 24 24" aria-hidden="true">
      <path d={PATHS[name]} className={name === "hangUp" || name === "phone" ? "filled" : ""} />
      {isOff && <path d="M4 4l16 16" className="off" />}
    </svg>
  );
}
