/** A moment in the reader's time zone; its title gives it in UTC. */
interface Props {
  /** As the API gives it: text in UTC with or without a zone, or epoch seconds; null for never. */
  readonly at: string | number | null | undefined
  readonly never?: string
}

/** The moment that a text or number of the API names; undefined for none. */
export const momentOf = (at: string | number | null | undefined): Date | undefined => {
  if (at === null || at === undefined || at === "") return undefined
  if (typeof at === "number") return new Date(at * 1000)
  const text = at.replace(" ", "T")
  const moment = new Date(/(Z|[+-]\d\d:?\d\d)$/.test(text) ? text : `${text}Z`)
  return Number.isNaN(moment.getTime()) ? undefined : moment
}

const shown = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" })

export const When = ({ at, never = "never" }: Props) => {
  const moment = momentOf(at)
  if (moment === undefined) return <span>{never}</span>
  return (
    <time
      dateTime={moment.toISOString()}
      title={`${moment
        .toISOString()
        .replace("T", " ")
        .replace(/\.\d+Z$/, "")} UTC`}
    >
      {shown.format(moment)}
    </time>
  )
}
