/** The place in the bar for the way to the screen. */
export const CRUMBS = "crumbs"
