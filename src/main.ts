/**
 * The program `switchyard`: only its sub-commands. The DHCP hook is called for every lease, so it starts before anything larger
 * is loaded.
 */
const [command] = process.argv.slice(2)
if (command === "dhcp-hook") await import("./dhcp/hookMain.ts")
else await import("./cli.ts")
