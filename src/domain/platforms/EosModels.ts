/** Switches that run the 32-bit build of EOS (docs/jobs.md#device_upgrade). Models are matched by their whole text. */

/** Families of 32-bit models: what they have in common, and how each goes on. */
const FAMILIES: ReadonlyArray<readonly [family: string, models: string]> = [
  ["CCS-710P-", "12 16P"],
  ["CCS-720DF-", "48Y"],
  ["CCS-720DP-", "24S 48S"],
  ["CCS-720DT-", "24S 48S 24S-2F 48S-2F"],
  ["CCS-720XP-", "24Y6 24ZY4 48Y6 48ZC2 96ZC2"],
  ["CCS-722XPM-", "48Y4 48ZY8"],
  ["DCS-7010TX-", "48"],
  ["DCS-7050CX3-", "32S"],
  ["DCS-7050CX3M-", "32S"],
  ["DCS-7050SX3-", "48C8 48YC8 48YC12 96YC8"],
  ["DCS-7280CR3-", "32D4 32P4"],
  ["DCS-7280DR3-", "24"],
  ["DCS-7280PR3-", "24"],
  ["DCS-7280QR-", "C36 C72"],
  ["DCS-7280QRA-", "C36S"],
  ["DCS-7280SR-", "48C6"],
  ["DCS-7280SR2-", "48YC6"],
  ["DCS-7280SR2A-", "48YC6"],
  ["DCS-7280SR3-", "40YC6 48YC8"],
  ["DCS-7280SR3E-", "40YC6"],
  ["DCS-7280SR3M-", "48YC8"],
  ["DCS-7280SRA-", "48C6"],
  ["DCS-7280TR-", "48C6"],
  ["DCS-7280TR3-", "40C6"],
  ["DCS-7280TRA-", "48C6"]
]

/** Models are sold with the name alone or with the direction of their air flow behind it. */
const AIR_FLOWS = ["", "-F", "-R"]

/** Models that run the 32-bit build. */
export const models32Bit: ReadonlySet<string> = new Set(
  FAMILIES.flatMap(([family, models]) =>
    models.split(" ").flatMap((model) => AIR_FLOWS.map((flow) => `${family}${model}${flow}`))
  )
)
