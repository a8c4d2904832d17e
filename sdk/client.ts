import { Audit, Usages } from './csv.ts'
import { Batches } from './batches.ts'
import { Events } from './events.ts'
import { Files } from './files.ts'
import { Api } from './generated.ts'
import { Runs } from './runs.ts'
import { Threads } from './threads.ts'
import { Tools } from './tools.ts'
import { Transport, type MusterOptions } from './transport.ts'

/**
 * A typed client of one Muster service:
 * `const run = await new Muster({ apiKey }).runs.create(workflowId, { input: '…' })`.
 */
export class Muster extends Api {
  override readonly runs: Runs
  override readonly usage: Usages
  override readonly audit: Audit
  override readonly files: Files
  override readonly batches: Batches
  override readonly threads: Threads
  readonly events: Events
  readonly tools: Tools

  constructor(options: MusterOptions) {
    const transport = new Transport(options)
    super(transport)
    this.runs = new Runs(transport)
    this.usage = new Usages(transport)
    this.audit = new Audit(transport)
    this.files = new Files(transport)
    this.batches = new Batches(transport)
    this.threads = new Threads(transport)
    this.events = new Events(transport)
    this.tools = new Tools(transport)
  }
}
