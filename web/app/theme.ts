/** Colours and sizes. The shades are those that pass WCAG 2.2 AA in both schemes, also on hovered and marked rows. */
import { createTheme, type CSSVariablesResolver } from "@mantine/core"

export const theme = createTheme({
  primaryColor: "blue",
  primaryShade: { light: 9, dark: 9 },
  defaultRadius: "sm",
  cursorType: "pointer",
  fontFamily: "system-ui, sans-serif",
  fontFamilyMonospace: "ui-monospace, Consolas, monospace",
  headings: { sizes: { h1: { fontSize: "1.35rem" }, h2: { fontSize: "1.1rem" }, h3: { fontSize: "1rem" } } }
})

/** Mantine's own greys are too light for texts. */
export const variables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    "--mantine-color-dimmed": "#4a5259",
    "--mantine-color-placeholder": "#5a636b",
    "--mantine-color-error": "#a61e1e",
    "--mantine-color-anchor": "#0b5394",
    "--tone-good": "#1b6e33",
    "--tone-warn": "#8a4a00",
    "--tone-bad": "#b01818",
    "--tone-info": "#0b5394",
    "--tone-quiet": "#4a5259",
    "--line-added": "#e3f6e7",
    "--line-removed": "#fde8e8",
    "--line-marked": "#fff3bf",
    "--ground-warn": "#fff3dc",
    "--surface": "#f5f7f9"
  },
  dark: {
    "--mantine-color-dimmed": "#b4bcc4",
    "--mantine-color-placeholder": "#a5adb5",
    "--mantine-color-error": "#ffa8a8",
    "--mantine-color-anchor": "#8ec7ff",
    "--tone-good": "#7fdd97",
    "--tone-warn": "#ffc078",
    "--tone-bad": "#ffa0a0",
    "--tone-info": "#8ec7ff",
    "--tone-quiet": "#b4bcc4",
    "--line-added": "#12351c",
    "--line-removed": "#45191c",
    "--line-marked": "#4d4012",
    "--ground-warn": "#2d220f",
    "--surface": "#1f2327"
  }
})
