/** The sheet of keys, which `?` opens. */
import { Kbd, Modal, Table, Text } from "@mantine/core"
import { entries } from "./screens.ts"
import { useMay } from "./useSession.ts"

const KEYS: ReadonlyArray<readonly [ReadonlyArray<string>, string]> = [
  [["Ctrl K"], "Search or jump: screens, devices, addresses, changes"],
  [["/"], "The search of this screen"],
  [["?"], "This sheet"],
  [["j", "k", "↑", "↓", "Home", "End"], "Move in a list that has the focus"],
  [["Enter"], "Open the row"],
  [["Space", "x"], "Mark the row"],
  [["e"], "Edit the port that has the focus, or the open one"],
  [["n", "p"], "Next and previous difference"],
  [["v"], "Mark the difference as viewed, or not viewed"],
  [["a"], "Ask whether to approve what is shown; nothing is approved before you confirm"],
  [["Esc"], "Close what is on top"]
]

const Row = ({ keys, says }: { readonly keys: ReadonlyArray<string>; readonly says: string }) => (
  <Table.Tr>
    <Table.Td>
      {keys.map((key) => (
        <Kbd key={key} mr={4}>
          {key}
        </Kbd>
      ))}
    </Table.Td>
    <Table.Td>{says}</Table.Td>
  </Table.Tr>
)

export default function KeysSheet({ close }: { readonly close: () => void }) {
  const may = useMay()
  const offered = entries.filter(({ reads }) => reads === undefined || may("GET", reads))
  return (
    <Modal opened onClose={close} title="Keys" closeButtonProps={{ "aria-label": "Close" }} size="lg">
      <Table aria-label="Keys">
        <Table.Tbody>
          {KEYS.map(([keys, says]) => (
            <Row key={says} keys={keys} says={says} />
          ))}
          {offered.map(({ entry: { leaps }, label, path }) => (
            <Row key={path} keys={["g", ...leaps.slice(0, 1)]} says={label} />
          ))}
        </Table.Tbody>
      </Table>
      <Text size="sm" c="dimmed" mt="sm">
        Single letters do nothing while you type in a field. The menu at your name turns them off.
      </Text>
    </Modal>
  )
}
