/** Number of different colours. */
const HUES = 6;

/** The initial of a user on a colour of its own. */
export function Avatar({ name, isLarge = false }: { name: string; isLarge?: boolean }) {
  let hash = 0;
  for (const character of name) hash = (hash * 31 + (character.codePointAt(0) ?? 0)) % 9_973;
  const hue = (hash % HUES) * (360 / HUES) + 20;
  const [initial = "?"] = name;
  return (
    <span
      className={isLarge ? "avatar large" : "avatar"}
      style={{ "--hue": hue } as React.CSSProperties}
      aria-hidden="true"
    >
      {initial.toUpperCase()}
    </span>
  );
}
