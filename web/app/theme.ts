/**
 * Colours, sizes and fonts of the page, in both schemes. Each value is a variable with the prefix `--sy-`; styles use only these, and no
 * other file has a colour of its own (test/web/app/theme.test.ts). Mantine's own variables are set from them.
 */
import { Card, type CSSVariablesResolver, colorsTuple, createTheme, Modal } from "@mantine/core"

const light = {
  canvas: "#f7f8fa",
  surface: "#ffffff",
  sunken: "#f1f3f6",
  hover: "#f1f3f6",
  raised: "#ffffff",
  border: "#e3e6eb",
  "border-strong": "#c6ccd5",
  control: "#868f9e",
  text: "#15181e",
  text2: "#4a5361",
  text3: "#626b7a",
  accent: "#2f55d4",
  "accent-text": "#2a4cc0",
  "accent-soft": "#ebf0fe",
  good: "#17703f",
  "good-soft": "#e6f5ec",
  warn: "#8a5200",
  "warn-soft": "#fff3dc",
  bad: "#b3261e",
  "bad-soft": "#fdeceb",
  info: "#1f5fbf",
  "info-soft": "#e8f1fd",
  wait: "#6a3dbb",
  "wait-soft": "#f2ecfc",
  quiet: "#56606f",
  "quiet-soft": "#eef0f4",
  "fill-good": "#2f9e5d",
  "fill-warn": "#c28413",
  "fill-bad": "#d5473e",
  "fill-info": "#3c7ddb",
  "fill-wait": "#8660d3",
  "fill-quiet": "#c6ccd5",
  "shadow-1": "0 1px 2px rgba(16, 20, 28, .06)",
  "shadow-2": "0 8px 28px rgba(16, 20, 28, .14), 0 1px 3px rgba(16, 20, 28, .08)",
  "line-add": "#e4f6ea",
  "line-add-w": "#b5e5c6",
  "line-del": "#fdebea",
  "line-del-w": "#f8c6c2",
  /** Words on accent and danger. */
  "on-accent": "#ffffff",
  /** The ground of a button that erases or stops. */
  danger: "#b3261e",
  "vlan-5": "#1a969c"
}

const dark: Readonly<Record<keyof typeof light, string>> = {
  canvas: "#0d0f12",
  surface: "#14171b",
  sunken: "#101317",
  hover: "#1c2026",
  raised: "#242a33",
  border: "#262b33",
  "border-strong": "#3a414c",
  control: "#717b8a",
  text: "#e9ebee",
  text2: "#aeb6c2",
  text3: "#8f98a6",
  accent: "#4263df",
  "accent-text": "#92aeff",
  "accent-soft": "#1a2544",
  good: "#5fd08f",
  "good-soft": "#11281c",
  warn: "#efb65c",
  "warn-soft": "#2d220f",
  bad: "#ff8f88",
  "bad-soft": "#351a19",
  info: "#7fb4ff",
  "info-soft": "#142540",
  wait: "#c3a8ff",
  "wait-soft": "#251c3b",
  quiet: "#a9b1bd",
  "quiet-soft": "#20252c",
  "fill-good": "#3fae6e",
  "fill-warn": "#d9993a",
  "fill-bad": "#e5655d",
  "fill-info": "#5b95ea",
  "fill-wait": "#9e7bea",
  "fill-quiet": "#3a414c",
  "shadow-1": "none",
  "shadow-2": "0 10px 32px rgba(0, 0, 0, .55)",
  "line-add": "#10281b",
  "line-add-w": "#1d5034",
  "line-del": "#341918",
  "line-del-w": "#6a2c2a",
  "on-accent": "#ffffff",
  danger: "#b3261e",
  "vlan-5": "#2fb3b9"
}
/** The tokens of each scheme, without their prefix. */
export const tokens = { light, dark } as const

/** Tokens that both schemes share. */
const SHARED = {
  "radius-cell": "4px",
  "radius-control": "7px",
  "radius-card": "10px",
  row: "32px",
  ease: "cubic-bezier(0.2, 0, 0, 1)",
  "vlan-1": "var(--sy-fill-info)",
  "vlan-2": "var(--sy-fill-good)",
  "vlan-3": "var(--sy-fill-warn)",
  "vlan-4": "var(--sy-fill-wait)",
  "vlan-6": "var(--sy-fill-bad)"
}

const prefixed = (values: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [`--sy-${name}`, value]))

/** Pixels as rem, so that the browser's text size counts. */
const rem = (pixels: number) => `${pixels / 16}rem`

const SIZES = { xs: rem(12), sm: rem(13), md: rem(13), lg: rem(14), xl: rem(17) }

export const theme = createTheme({
  primaryColor: "blue",
  // Mantine wants ten shades; every place that shows one is set below
  colors: {
    blue: colorsTuple(light.accent),
    red: colorsTuple(light.danger),
    orange: colorsTuple(light.warn),
    yellow: colorsTuple(light.warn),
    green: colorsTuple(light.good)
  },
  defaultRadius: "sm",
  radius: { xs: "4px", sm: "7px", md: "10px", lg: "11px", xl: "16px" },
  spacing: { xs: rem(8), sm: rem(12), md: rem(16), lg: rem(24), xl: rem(32) },
  shadows: {
    xs: "var(--sy-shadow-1)",
    sm: "var(--sy-shadow-1)",
    md: "var(--sy-shadow-2)",
    lg: "var(--sy-shadow-2)",
    xl: "var(--sy-shadow-2)"
  },
  cursorType: "pointer",
  fontFamily: '"Inter Variable", Inter, system-ui, "Segoe UI", Roboto, sans-serif',
  fontFamilyMonospace: '"JetBrains Mono Variable", "JetBrains Mono", ui-monospace, Consolas, monospace',
  fontSizes: SIZES,
  lineHeights: { xs: "1.3334", sm: "1.5385", md: "1.5385", lg: "1.4286", xl: "1.4118" },
  headings: {
    fontWeight: "600",
    sizes: {
      h1: { fontSize: rem(20), lineHeight: "1.4" },
      h2: { fontSize: rem(14), lineHeight: "1.4286" },
      h3: { fontSize: rem(13), lineHeight: "1.5385" }
    }
  },
  components: {
    Card: Card.extend({ defaultProps: { radius: "md", padding: 14 } }),
    Modal: Modal.extend({ defaultProps: { radius: "md", shadow: "xl" } })
  }
})

/** What Mantine calls a colour by its shade: its ground, its words on a soft ground, and its outline. */
const colour = (name: string, tone: string, filled: string) => ({
  [`--mantine-color-${name}-filled`]: filled,
  [`--mantine-color-${name}-filled-hover`]: `color-mix(in srgb, ${filled} 88%, black)`,
  [`--mantine-color-${name}-light`]: `var(--sy-${tone}-soft)`,
  [`--mantine-color-${name}-light-hover`]: `var(--sy-${tone}-soft)`,
  [`--mantine-color-${name}-light-color`]: `var(--sy-${tone === "accent" ? "accent-text" : tone})`,
  [`--mantine-color-${name}-outline`]: `var(--sy-${tone === "accent" ? "accent-text" : tone})`,
  [`--mantine-color-${name}-outline-hover`]: `var(--sy-${tone}-soft)`,
  [`--mantine-color-${name}-text`]: `var(--sy-${tone === "accent" ? "accent-text" : tone})`
})

/** The same names in both schemes: only the tokens differ. */
const mantine = {
  "--mantine-color-body": "var(--sy-surface)",
  "--mantine-color-text": "var(--sy-text)",
  "--mantine-color-bright": "var(--sy-text)",
  "--mantine-color-dimmed": "var(--sy-text2)",
  "--mantine-color-placeholder": "var(--sy-text3)",
  "--mantine-color-error": "var(--sy-bad)",
  "--mantine-color-anchor": "var(--sy-accent-text)",
  "--mantine-color-default": "var(--sy-surface)",
  "--mantine-color-default-hover": "var(--sy-hover)",
  "--mantine-color-default-color": "var(--sy-text)",
  "--mantine-color-default-border": "var(--sy-border)",
  "--mantine-color-disabled": "var(--sy-quiet-soft)",
  "--mantine-color-disabled-color": "var(--sy-text3)",
  "--mantine-color-disabled-border": "var(--sy-border)",
  ...colour("blue", "accent", "var(--sy-accent)"),
  ...colour("red", "bad", "var(--sy-danger)"),
  ...colour("orange", "warn", "var(--sy-warn)"),
  ...colour("yellow", "warn", "var(--sy-warn)"),
  ...colour("green", "good", "var(--sy-fill-good)")
}

export const variables: CSSVariablesResolver = () => ({
  variables: prefixed(SHARED),
  light: { ...prefixed(light), ...mantine },
  dark: { ...prefixed(dark), ...mantine }
})
