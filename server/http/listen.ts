import type { FastifyInstance } from 'fastify'
import { badSetting } from '../config-error.ts'

/**
 * Connections that may wait to be accepted, if the system allows that many. A client whose
 * connection is dropped retries after a second or more.
 */
const backlog = 4_096

/** Returns the address; throws a `ConfigError` that names the invalid setting. */
export async function listen(
  server: FastifyInstance,
  host: string,
  { name, port }: { name: 'PORT' | 'MUSTER_METRICS_PORT'; port: number },
): Promise<string> {
  try {
    return await server.listen({ host, port, backlog })
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    if (['EADDRINUSE', 'EACCES'].includes(code)) {
      throw badSetting(name, String(port), `a port that is free and may be used`, error)
    }
    if (['EADDRNOTAVAIL', 'ENOTFOUND', 'EAI_AGAIN', 'EINVAL'].includes(code)) {
      const accepted = 'an address of this machine, or a name of one'
      throw badSetting('HOST', JSON.stringify(host), accepted, error)
    }
    throw error
  }
}
