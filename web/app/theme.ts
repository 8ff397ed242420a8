/** The tokens as variables of the page, and Mantine's own variables and sizes from them. */
import { colorsTuple, createTheme, type CSSVariablesResolver } from "@mantine/core"
import { shared, tokens } from "./tokens.ts"

const { dark, light } = tokens

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
  // 700 pixels: a phone below; 1100: icons of the navigation only
  breakpoints: { xs: "36em", sm: "43.75em", md: "62em", lg: "68.75em", xl: "88em" },
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
  // by their names: importing them here would load them with the page
  components: {
    Card: { defaultProps: { radius: "md", padding: 14 } },
    Modal: { defaultProps: { radius: "md", shadow: "xl" } }
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
  // grounds of cards, fields and menus in the dark scheme, and of their rows under the pointer
  "--mantine-color-dark-6": "var(--sy-surface)",
  "--mantine-color-dark-5": "var(--sy-hover)",
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
  variables: prefixed(shared),
  light: { ...prefixed(light), ...mantine },
  dark: { ...prefixed(dark), ...mantine }
})
