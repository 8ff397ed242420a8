/** The order of a staggered upgrade before it begins: which switches reboot together. */
import { List, Text, Title } from "@mantine/core"
import { useAsk } from "../../api/useAsk.ts"
import { Asked } from "../../parts/Asked.tsx"

export const Order = ({ group }: { readonly group: string }) => {
  const asked = useAsk(
    "POST /firmware/upgradecheck",
    { body: { group } },
    { kinds: ["device", "linknet", "repository"] }
  )
  return (
    <section aria-label="Order of the upgrade">
      <Title order={2}>Order</Title>
      <Asked of={asked} what="the order of a staggered upgrade">
        {({ data: { device_count, upgrade_groups } }) => (
          <>
            <Text size="sm">
              {device_count} {device_count === 1 ? "switch reboots" : "switches reboot"} in {upgrade_groups.length}{" "}
              {upgrade_groups.length === 1 ? "step" : "steps"}. A step begins when all switches of the one before are
              back; after a failure no further one begins.
            </Text>
            <List type="ordered" size="sm" aria-label="Steps">
              {upgrade_groups.map((names) => (
                <List.Item key={names.join()}>{names.join(", ")}</List.Item>
              ))}
            </List>
          </>
        )}
      </Asked>
    </section>
  )
}
