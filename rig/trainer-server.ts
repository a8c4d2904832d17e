import { startTrainer } from '../server/fine-tunes/test-trainer.ts'

/** A process that trains nothing: takes files and jobs, and says of every job that it runs. */
const trainer = await startTrainer('openai')
trainer.intervene = (call) => {
  const id = /^GET .*\/jobs\/(.+)$/.exec(call)?.[1]
  return id === undefined ? undefined : { status: 200, body: { id, status: 'running' } }
}
process.on('disconnect', () => process.exit())
process.send?.(trainer.url)
