/** The earlier name of `DataTable`. */
export { type Column, DataTable as VirtualTable } from "./DataTable.tsx"
