import { sql } from 'kysely'
import { notice } from '../db/fragments.ts'

/** On which the senders of all processes hear of deliveries to make. */
export const deliveryChannel = 'muster_deliveries'

/** For the RETURNING of a statement that makes deliveries due. */
export const deliveryNotice = notice({ channel: deliveryChannel, payload: sql`''` })
