/** The time until a moment, counted down: `4 min 46 s`. */
import { useEffect, useState } from "react"
import { duration, momentOf } from "../../src/domain/words/Units.ts"

const secondsTo = (moment: Date | undefined): number =>
  moment === undefined ? 0 : Math.max(0, Math.ceil((moment.getTime() - Date.now()) / 1000))

interface Props {
  readonly until: string
  /** What is said once it has passed: the event itself may be late. */
  readonly over?: string
}

export const Countdown = ({ over, until }: Props) => {
  const [left, setLeft] = useState(() => secondsTo(momentOf(until)))
  useEffect(() => {
    const tick = () => setLeft(secondsTo(momentOf(until)))
    tick()
    const timer = setInterval(tick, 1000)
    return () => clearInterval(timer)
  }, [until])
  return <span>{left === 0 && over !== undefined ? over : duration(left)}</span>
}
