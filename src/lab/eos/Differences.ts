/**
 * How a switch prints the difference between two configurations, in the two dialects that EOS has had: a unified difference with
 * `@@` lines, and one without, in which the headings of sections stand around what changes.
 */
import { TextDiff } from "effect"
import * as Loader from "./ConfigLoader.ts"
import { type Entry, printedChildren } from "./ConfigTree.ts"
import type { Quirks } from "./Quirks.ts"

/** Above this many edits the script may be longer than needed, but stays correct and cheap. */
const MAX_EDITS = 4000

const unified = (before: string, after: string, fromFile: string, toFile: string): string =>
  TextDiff.unified(TextDiff.lines(before, after, { maxEdits: MAX_EDITS }), { fromFile, toFile })

/** The output of `show running-config diffs`: empty if the running configuration is saved. */
export const unsaved = (startup: string, running: string): string =>
  startup === running ? "" : unified(startup, running, "flash:/startup-config", "system:/running-config")

/** The difference of a session's candidate, with the switch's two header lines; empty when nothing differs. */
export const ofSession = (
  running: string,
  candidate: string,
  session: string,
  dialect: Required<Quirks>["diffs"]
): string => {
  if (running === candidate) return ""
  const from = "system:/running-config"
  const to = `session:/${session}-session-config`
  return dialect === "unified"
    ? unified(running, candidate, from, to)
    : `--- ${from}\n+++ ${to}\n${sections(Loader.parse(running), Loader.parse(candidate), "")}`
}

// Without `@@`: each changed section under its headings, a changed line behind the unchanged one before it, no separators.

const INDENT = "   "

const whole = (sign: string, entry: Entry, indent: string): string =>
  [
    `${sign}${indent}${entry.text}\n`,
    ...(entry.body === undefined ? [] : [...entry.body, "EOF"].map((line) => `${sign}${line}\n`)),
    ...printedChildren(entry).map((child) => whole(sign, child, indent + INDENT))
  ].join("")

/** Two entries that align have one heading; what else differs is below it. */
const headings = (entry: Entry) => printedChildren(entry).map(({ body, text }) => [text, ...(body ?? [])].join("\n"))

const sections = (before: Entry, after: Entry, indent: string): string => {
  const [old, now] = [printedChildren(before), printedChildren(after)]
  const said: Array<string> = []
  let [atOld, atNow] = [0, 0]
  let previous: string | undefined
  const sayPrevious = () => {
    if (previous !== undefined && indent !== "") said.push(previous)
    previous = undefined
  }
  for (const { _tag, items } of TextDiff.diff(headings(before), headings(after), { maxEdits: MAX_EDITS })) {
    for (let count = 0; count < items.length; count += 1) {
      const [oldEntry, entry] = [old[atOld], now[atNow]]
      if (_tag === "Delete" && oldEntry !== undefined) {
        sayPrevious()
        said.push(whole("-", oldEntry, indent))
      }
      if (_tag === "Insert" && entry !== undefined) {
        sayPrevious()
        said.push(whole("+", entry, indent))
      }
      if (_tag === "Equal" && oldEntry !== undefined && entry !== undefined) {
        const inside = sections(oldEntry, entry, indent + INDENT)
        const heading = ` ${indent}${entry.text}\n`
        if (inside !== "") said.push(heading, inside)
        previous = inside === "" && entry.children === undefined ? heading : undefined
      }
      if (_tag !== "Insert") atOld += 1
      if (_tag !== "Delete") atNow += 1
    }
  }
  return said.join("")
}
