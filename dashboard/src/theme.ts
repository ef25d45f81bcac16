import { type CSSVariablesResolver, createTheme } from "@mantine/core";
import { strings } from "./strings.ts";

/** Colors, sizes and defaults of all components. */
export const theme = createTheme({
  primaryColor: "indigo",
  // White text has a contrast of 5:1 and more on these shades.
  primaryShade: { light: 7, dark: 8 },
  defaultRadius: "md",
  colors: {
    // Grays with a little blue, from the lightest text to the darkest surface.
    dark: [
      "#eceff6",
      "#c5cbd9",
      "#a8b0c3",
      "#6f788e",
      "#4a5266",
      "#363d4d",
      "#2a303e",
      "#1b202b",
      "#161a23",
      "#12151d",
    ],
  },
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif',
  fontFamilyMonospace: "ui-monospace, SFMono-Regular, Menlo, Consolas, monospace",
  headings: { fontWeight: "650" },
  cursorType: "pointer",
  respectReducedMotion: true,
  components: {
    Modal: {
      defaultProps: {
        closeButtonProps: { "aria-label": strings.common.close },
        // The heading of a dialog is no banner of the page.
        attributes: { header: { role: "none" } },
      },
    },
    // Menus and lists of choices stay in the landmark of their button, where screen readers look for them.
    Combobox: { defaultProps: { withinPortal: false } },
    Menu: { defaultProps: { withinPortal: false } },
    Popover: { defaultProps: { withinPortal: false } },
    Tooltip: { defaultProps: { withinPortal: false } },
    Drawer: {
      defaultProps: {
        closeButtonProps: { "aria-label": strings.common.close },
        attributes: { header: { role: "none" } },
      },
    },
    Notification: { defaultProps: { closeButtonProps: { "aria-label": strings.common.close } } },
  },
});

/** Colors of badges, alerts and buttons beside the primary one. */
const HUES = ["red", "orange", "yellow", "green", "teal", "blue", "indigo", "grape"];

/** Darker forms of the colors of texts and filled buttons on light surfaces. */
const LIGHT_HUES = Object.fromEntries(
  HUES.flatMap((hue) => {
    const dark = `color-mix(in srgb, var(--mantine-color-${hue}-9) 78%, black)`;
    return [
      [`--mantine-color-${hue}-light-color`, dark],
      [`--mantine-color-${hue}-outline`, dark],
      [`--mantine-color-${hue}-text`, dark],
      ...(hue === "indigo" ? [] : [[`--mantine-color-${hue}-filled`, dark]]),
    ];
  }),
);

/** Texts of Mantine that have too little contrast for WCAG AA get at least 4.5:1. */
export const cssVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    ...LIGHT_HUES,
    "--mantine-color-anchor": "var(--mantine-color-indigo-8)",
    "--mantine-color-dimmed": "#596176",
    "--mantine-color-placeholder": "#6b7280",
    "--mantine-color-error": "#c92a2a",
    "--page": "#f5f6fa",
  },
  dark: {
    "--mantine-color-dimmed": "#a8b0c3",
    "--mantine-color-placeholder": "#8d96ab",
    "--mantine-color-error": "#ffa8a8",
    "--mantine-color-anchor": "#91a7ff",
    "--page": "#12151d",
  },
});
