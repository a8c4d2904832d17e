import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** Writes a models file into a folder; returns its path. */
export async function writeModelsFile(folder: string, models: unknown): Promise<string> {
  const file = join(folder, 'models.json')
  await writeFile(file, JSON.stringify(models))
  return file
}

/** The model `bench`, on a server that acts as an OpenAI-compatible endpoint. */
export function benchModels(url: string): object {
  return {
    providers: [{ id: 'loopback', base_url: `${url}/v1`, max_concurrency: 10_000 }],
    models: [{ id: 'bench', provider: 'loopback', price_in: 1, price_out: 4 }],
  }
}
