/** The devices that failed, with the switch's own words, and what to do. */
import { Accordion, Text } from "@mantine/core"
import { PlainLink } from "../../parts/PlainLink.tsx"
import { Tone } from "../../parts/Tone.tsx"
import { adviceFor } from "./advice.ts"
import type { ShownDevice } from "./useProgress.ts"

const FIRST = 50

export const Failures = ({ devices }: { readonly devices: ReadonlyArray<ShownDevice> }) => {
  const failed = devices.filter((device) => device.failed === true || device.phase === "unknown")
  if (failed.length === 0) return null
  return (
    <section aria-label="Failures">
      <Tone tone="bad">
        {failed.length} {failed.length === 1 ? "device has" : "devices have"} failed
      </Tone>
      <Accordion variant="separated" my="xs" chevronPosition="left">
        {failed.slice(0, FIRST).map((device) => (
          <Accordion.Item key={device.hostname} value={device.hostname}>
            <Accordion.Control>
              <b>{device.hostname}</b>: {device.why ?? "the state of the switch could not be proved"}
            </Accordion.Control>
            <Accordion.Panel>
              {device.step !== null && <Text size="sm">Failed at: {device.step}</Text>}
              {device.said !== null && (
                <pre tabIndex={0} aria-label={`What was said about ${device.hostname}`}>
                  {device.said}
                </pre>
              )}
              <Text>{adviceFor(device)}</Text>
              <PlainLink to={`/device/${encodeURIComponent(device.hostname)}`}>Open {device.hostname}</PlainLink>
            </Accordion.Panel>
          </Accordion.Item>
        ))}
      </Accordion>
    </section>
  )
}
