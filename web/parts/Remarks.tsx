/** The mistakes and warnings of a repository: file and line first, as editors and compilers print them. */
import { List, Text } from "@mantine/core"
import { CallFailed } from "../api/call.ts"
import { PlainLink } from "./PlainLink.tsx"

export interface RemarkLike {
  readonly file: string | null
  readonly line: number | null
  readonly column: number | null
  readonly path: string | null
  readonly message: string
}

/** `global/vxlans.yml:12:5`, or the name of the text if there is no file. */
export const placeOf = ({ column, file, line }: RemarkLike, own = ""): string =>
  [file ?? (line === null ? null : own), line, column].filter((part) => part !== null && part !== "").join(":")

const keyOf = (one: RemarkLike): string => [one.file, one.line, one.column, one.path, one.message].join("\0")

interface Props {
  readonly remarks: ReadonlyArray<RemarkLike>
  /** The name of the list, for screen readers. */
  readonly label: string
  /** The name of a text that is not a file. */
  readonly own?: string
  /** The repository whose files in force the remarks concern: places link to the lines. */
  readonly inForce?: "settings" | "templates"
}

const addressOf = (name: string, { file, line }: RemarkLike): string =>
  `/repository?tab=files&name=${name}&path=${encodeURIComponent(file ?? "")}${line === null ? "" : `&line=${line}`}`

export const Remarks = ({ inForce, label, own = "your text", remarks }: Props) => (
  <List size="sm" spacing={2} aria-label={label} my="xs">
    {remarks.map((one) => {
      const place = placeOf(one, own)
      return (
        <List.Item key={keyOf(one)}>
          {place !== "" && (
            <Text span ff="monospace" size="sm">
              {inForce === undefined || one.file === null ? (
                place
              ) : (
                <PlainLink to={addressOf(inForce, one)}>{place}</PlainLink>
              )}
              :{" "}
            </Text>
          )}
          {one.path !== null && `${one.path}: `}
          {one.message}
        </List.Item>
      )
    })}
  </List>
)

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null

const isNumberOrNull = (value: unknown): value is number | null => value === null || typeof value === "number"
const isTextOrNull = (value: unknown): value is string | null => value === null || typeof value === "string"

const isRemark = (value: unknown): value is RemarkLike =>
  isRecord(value) &&
  isTextOrNull(value["file"]) &&
  isNumberOrNull(value["line"]) &&
  isNumberOrNull(value["column"]) &&
  isTextOrNull(value["path"]) &&
  typeof value["message"] === "string"

/** The places of mistakes in a refusal; none for another error. */
export const remarksOf = (error: unknown): ReadonlyArray<RemarkLike> => {
  const problems = error instanceof CallFailed && isRecord(error.body) ? error.body["problems"] : undefined
  return Array.isArray(problems) ? problems.filter(isRemark) : []
}
