// Prints the list of the npm packages that run, in CycloneDX: `node scripts/sbom.mjs`. `npm sbom --omit dev` leaves out packages
// that also development needs, such as lru-cache (npm 11.19), so this leaves out what only development needs.
import { execFileSync } from 'node:child_process';

const list = ['sbom', '--sbom-format', 'cyclonedx', '--workspaces=false', '--package-lock-only'];
const bom = JSON.parse(execFileSync('npm', list, { encoding: 'utf8', maxBuffer: 2 ** 26 }));

const isDevelopment = ({ properties = [] }) =>
  properties.some(({ name }) => name === 'cdx:npm:package:development');

bom.components = bom.components.filter((component) => !isDevelopment(component));
const kept = new Set(bom.components.map((component) => component['bom-ref']));
const [root, ...others] = bom.dependencies;
bom.dependencies = [root, ...others.filter(({ ref }) => kept.has(ref))].map((one) => ({
  ...one,
  dependsOn: one.dependsOn?.filter((ref) => kept.has(ref)),
}));
process.stdout.write(`${JSON.stringify(bom, null, 2)}\n`);
