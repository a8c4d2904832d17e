import { createServer, type Socket } from 'node:net'
import { listenOnLoopback } from './loopback.ts'

/**
 * An IMAP server on loopback with one folder, INBOX: the part of RFC 9051 that reading a mailbox
 * needs, with faults on request.
 */
export interface ImapServer extends AsyncDisposable {
  port: number
  messages: ImapMessage[]
  /** Gives the folder another UIDVALIDITY, and its messages other UIDs. */
  renumber: () => void
  /** Delivers a message; returns its UID. */
  deliver: (source: string | Buffer, date?: Date) => number
  /** Commands after which the connection is cut, once each. */
  cuts: RegExp[]
  isLockedOut: boolean
  commands: string[]
}

interface ImapMessage {
  uid: number
  source: Buffer
  date: Date
  flags: Set<string>
}

export const imapPassword = 'secret'

export async function startImapServer(): Promise<ImapServer> {
  const sockets = new Set<Socket>()
  let lastUid = 0
  const state = {
    messages: [] as ImapMessage[],
    uidValidity: 1,
    cuts: [] as RegExp[],
    isLockedOut: false,
    commands: [] as string[],
    renumber: () => {
      state.uidValidity += 1
      for (const one of state.messages.toReversed()) one.uid = state.messages.indexOf(one) + 1
      lastUid = state.messages.length
    },
    deliver: (source: string | Buffer, date = new Date()) => {
      const bytes = Buffer.from(source)
      state.messages.push({ uid: ++lastUid, source: bytes, date, flags: new Set() })
      return lastUid
    },
  }
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    socket.on('error', () => undefined)
    const say = (line: string): void => void socket.write(`${line}\r\n`, 'latin1')
    say('* OK ready')
    let rest = ''
    socket.on('data', (data) => {
      rest += data.toString('latin1')
      const lines = rest.split('\r\n')
      rest = lines.pop() ?? ''
      for (const line of lines) {
        state.commands.push(line)
        const cut = state.cuts.findIndex((one) => one.test(line))
        if (cut !== -1) {
          state.cuts.splice(cut, 1)
          socket.destroy()
          return
        }
        obey(line, say)
      }
    })
  })

  function obey(line: string, say: (line: string) => void): void {
    const [, tag = '*', command = '', rest = ''] = /^(\S+) (UID \S+|\S+) ?(.*)$/.exec(line) ?? []
    const done = (words = 'done'): void => say(`${tag} OK ${words}`)
    switch (command.toUpperCase()) {
      case 'CAPABILITY':
        say('* CAPABILITY IMAP4rev1 UIDPLUS')
        return done()
      case 'LOGIN':
        if (state.isLockedOut)
          return say(`${tag} NO [AUTHENTICATIONFAILED] Too many logins, account locked`)
        if (!rest.includes(imapPassword))
          return say(`${tag} NO [AUTHENTICATIONFAILED] Bad password`)
        return done()
      case 'LIST':
      case 'LSUB':
        if (/INBOX|\*|%/i.test(rest)) say(`* ${command.toUpperCase()} (\\HasNoChildren) "/" INBOX`)
        return done()
      case 'SELECT':
      case 'EXAMINE':
        if (!/^"?INBOX"?/i.test(rest)) return say(`${tag} NO [NONEXISTENT] No such mailbox`)
        say('* FLAGS (\\Answered \\Flagged \\Deleted \\Seen \\Draft)')
        say('* OK [PERMANENTFLAGS (\\Seen \\Deleted \\*)] Limited')
        say(`* ${state.messages.length} EXISTS`)
        say(`* OK [UIDVALIDITY ${state.uidValidity}] UIDs valid`)
        say(`* OK [UIDNEXT ${lastUid + 1}] Predicted next UID`)
        return done('[READ-WRITE] Select completed')
      case 'UID SEARCH':
        say(`* SEARCH ${found(rest).join(' ')}`)
        return done()
      case 'UID FETCH':
        for (const one of named(rest)) say(`* ${one.seq} FETCH (${fields(one, rest)})`)
        return done()
      case 'UID STORE':
        for (const { flags } of named(rest)) {
          for (const flag of /\((.*)\)/.exec(rest)?.[1]?.split(' ') ?? []) flags.add(flag)
        }
        return done()
      case 'LOGOUT':
        say('* BYE')
        return done()
      case 'NOOP':
        return done()
      default:
        return say(`${tag} BAD unknown command`)
    }
  }

  function found(rest: string): number[] {
    const from = Number(/UID (\d+):\*/.exec(rest)?.[1] ?? 0)
    const since = Date.parse(/SINCE "?([\w-]+)/.exec(rest)?.[1] ?? '') || 0
    const uids = state.messages.filter(({ uid, date }) => uid >= from && date.getTime() >= since)
    const last = state.messages.at(-1)
    // A range that ends in * always includes the last message.
    if (from > 0 && uids.length === 0 && last !== undefined) return [last.uid]
    return uids.map(({ uid }) => uid)
  }

  function named(rest: string): (ImapMessage & { seq: number })[] {
    const uid = Number(rest.split(' ', 1)[0])
    return state.messages.flatMap((one, index) =>
      one.uid === uid ? [Object.assign(one, { seq: index + 1 })] : [],
    )
  }

  function fields({ uid, source, date }: ImapMessage, rest: string): string {
    const parts = [`UID ${uid}`]
    if (rest.includes('RFC822.SIZE')) parts.push(`RFC822.SIZE ${source.length}`)
    if (rest.includes('INTERNALDATE')) parts.push(`INTERNALDATE "${internalDate(date)}"`)
    if (rest.includes('BODY.PEEK[]')) {
      parts.push(`BODY[] {${source.length}}\r\n${source.toString('latin1')}`)
    }
    return parts.join(' ')
  }

  const port = await listenOnLoopback(server)
  return Object.assign(state, {
    port,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  })
}

function internalDate(date: Date): string {
  const [, month = '', day = '', year = ''] =
    /^\w+ (\w+) (\d+) (\d+)/.exec(
      date.toUTCString().replace(/^(\w+), (\d+) (\w+) (\d+)/, '$1 $3 $2 $4'),
    ) ?? []
  return `${day.padStart(2, ' ')}-${month}-${year} ${date.toISOString().slice(11, 19)} +0000`
}
