// Of what is installed in production: a bill of materials (sbom.json, CycloneDX), the licences, known weaknesses.
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'

const allowed = new Set([
  'MIT',
  'MIT-0',
  'ISC',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BlueOak-1.0.0',
  'CC0-1.0',
  '0BSD',
])
// Packages whose field names no exact licence: read in their LICENSE file, for this version alone.
const read = { 'duck@0.1.12': 'BSD-2-Clause' }
const npm = (...args) => spawnSync('npm', args, { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 })

const { stdout: sbom } = npm('sbom', '--sbom-format', 'cyclonedx', '--omit', 'dev')
const { components } = JSON.parse(sbom)
writeFileSync('sbom.json', sbom)
const wordsOf = ({ licenses = [] }) =>
  licenses.map(({ license, expression }) => expression ?? license?.id ?? license?.name ?? 'unknown')
// One of those that a package offers is enough.
const isFine = (words) => words.split(/[()\s]+|\bOR\b/).some((word) => allowed.has(word))
const licencesOf = (one) => [read[`${one.name}@${one.version}`] ?? wordsOf(one)].flat()
const refused = components.filter(
  (one) => licencesOf(one).length === 0 || !licencesOf(one).every(isFine),
)
for (const one of refused)
  console.error(`${one.name} ${one.version}: ${wordsOf(one).join(', ') || 'no licence'}`)
console.log(
  `${components.length} packages in sbom.json, ${refused.length} with a licence that is not allowed`,
)

const audit = npm('audit', '--omit=dev', '--audit-level=high', '--json')
const { error, metadata } = JSON.parse(audit.stdout || '{}')
const isAsked = error === undefined && metadata !== undefined
if (isAsked) console.log('known weaknesses:', JSON.stringify(metadata.vulnerabilities))
else console.warn('KNOWN WEAKNESSES WERE NOT LOOKED UP: the registry does not answer npm audit')
process.exitCode = refused.length > 0 || (isAsked && audit.status !== 0) ? 1 : 0
