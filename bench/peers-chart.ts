import type { ContenderName } from './contenders.ts'
import type { Standing } from './peers.ts'
import { round } from '../rig/measure.ts'

const names: Record<ContenderName, string> = {
  muster: 'Muster',
  floor: 'No library, batched',
  'floor-plain': 'No library',
  restate: 'Restate',
  dbos: 'DBOS',
  openworkflow: 'OpenWorkflow',
  mastra: 'Mastra',
  langgraph: 'LangGraph sync',
  'langgraph-async': 'LangGraph async',
}

interface Panel {
  title: string
  unit: string
  digits: number
  value: (standing: Standing) => number
}

const panels: Panel[] = [
  { title: 'runs/s (more is better)', unit: '', digits: 0, value: (one) => one.runsPerSecond },
  { title: 'CPU a run', unit: ' ms', digits: 2, value: (one) => one.cpuMs },
  { title: 'CPU a run, its server', unit: ' ms', digits: 2, value: (one) => one.storeCpuMs },
  { title: 'added a step, p50', unit: ' ms', digits: 1, value: (one) => one.addedP50Ms },
  { title: 'added a step, p99', unit: ' ms', digits: 1, value: (one) => one.addedP99Ms },
  {
    title: 'memory a run in progress',
    unit: ' KB',
    digits: 1,
    value: (one) => one.bytesInProgress / 1_024,
  },
  {
    title: 'memory a run that waits for a human',
    unit: ' KB',
    digits: 1,
    value: (one) => Math.max(0, one.bytesWaiting) / 1_024,
  },
  {
    title: 'kill -9: until all are completed',
    unit: ' s',
    digits: 1,
    value: (one) => one.resumeMs / 1_000,
  },
]

const width = 960
const panelWidth = 460
const rowHeight = 20
const labelWidth = 135
const longestBar = 235

/** The results as bars, one panel for each figure, two side by side. */
export function toPeersChart(standings: Map<ContenderName, Standing>): string {
  const panelHeight = 48 + standings.size * rowHeight
  const height = Math.ceil(panels.length / 2) * panelHeight + 10
  const drawn = panels.map((panel, index) => {
    const x = (index % 2) * (width - panelWidth) + 10
    const y = Math.floor(index / 2) * panelHeight + 10
    return `<g transform="translate(${x} ${y})">\n${drawPanel(panel, standings)}\n</g>`
  })
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="Muster and other frameworks: bars of the table's figures">
<style>
text { font: 13px system-ui, sans-serif; fill: #1f2328 }
.title { font-weight: 600 }
.bar { fill: #9aa4b2 }
.muster { fill: #2f6feb }
@media (prefers-color-scheme: dark) {
text { fill: #e6edf3 }
.bar { fill: #6e7681 }
.muster { fill: #4c8dff }
}
</style>
${drawn.join('\n')}
</svg>
`
}

function drawPanel(
  { title, unit, digits, value }: Panel,
  standings: Map<ContenderName, Standing>,
): string {
  const most = Math.max(...[...standings.values()].map(value), Number.MIN_VALUE)
  const rows = [...standings].map(([name, standing], index) => {
    const measured = value(standing)
    const y = 22 + index * rowHeight
    const length = Math.max(1, (longestBar * measured) / most)
    const said = `${round(measured, digits)}${unit}`
    const lost = unit === ' s' && standing.lostShare > 0 ? ', runs lost' : ''
    return (
      `<text x="0" y="${y + 13}">${names[name]}</text>` +
      `<rect class="${name === 'muster' ? 'muster' : 'bar'}" x="${labelWidth}" y="${y + 2}" width="${length.toFixed(1)}" height="14" rx="2"/>` +
      `<text x="${(labelWidth + length + 6).toFixed(1)}" y="${y + 13}">${said}${lost}</text>`
    )
  })
  return [`<text class="title" x="0" y="13">${title}</text>`, ...rows].join('\n')
}
