import type { Socket } from 'node:net'
import { Readable } from 'node:stream'
import type SMTPConnection from 'nodemailer/lib/smtp-connection'
import { isPublicAddress } from '../outbound/address.ts'
import { OutboundError } from '../outbound/outbound-error.ts'
import { visibleText } from '../safe-text.ts'
import type { CallContext } from '../tools/connector.ts'
import type { EmailCredentials } from './email.ts'

/**
 * One SMTP session for each call. The stages are driven here instead of by a nodemailer transport,
 * because only then it is known whether a message may have been sent. The server of an account is
 * reached through a guarded socket; on a public one nothing is sent without TLS, and elsewhere
 * no password, unless the account says `secure: false`.
 */
type Context = CallContext<EmailCredentials>

export class SmtpError extends Error {
  override readonly name = 'SmtpError'
  /** The message was sent, wholly or in part, and no response came. */
  readonly mayBeSent: boolean

  constructor(message: string, mayBeSent: boolean) {
    super(message)
    this.mayBeSent = mayBeSent
  }
}

const sessionTimeoutMs = 30_000
const testTimeoutMs = 20_000
const publicPorts = [587, 465, 25, 2525]

/**
 * Sends a message; returns the recipients that the server rejected while it accepted others, each
 * with its response.
 */
export function sendMail(
  context: Context,
  envelope: { from: string; to: string[] },
  message: Buffer,
  signal: AbortSignal,
): Promise<string[]> {
  // The stream is read only after the server has asked for the message.
  let isHandedOver = false
  const stream = new Readable({
    read() {
      isHandedOver = true
      this.push(message)
      this.push(null)
    },
  })
  return inSession(context, AbortSignal.any([signal, AbortSignal.timeout(sessionTimeoutMs)]), {
    run: async (session) => {
      checkLetters(session.smtp, envelope)
      const info = await session.step<{ rejectedErrors?: Rejection[] | undefined }>((done) =>
        session.smtp.send(envelope, stream, done),
      )
      return (info.rejectedErrors ?? []).map(
        ({ recipient = '', response = '' }) => `${recipient} (${said(response)})`,
      )
    },
    mayBeSent: (error) => isHandedOver && (error.responseCode ?? 0) < 400,
  })
}

/** Connects and logs in, nothing else. */
export function tryLogin(context: Context): Promise<void> {
  const signal = AbortSignal.timeout(testTimeoutMs)
  return inSession(context, signal, { run: async () => undefined, mayBeSent: () => false })
}

interface Session {
  smtp: SMTPConnection
  /** Runs a command with a callback; rejects as soon as the session breaks. */
  step: <T>(run: (done: (error: Error | null, value?: T) => void) => void) => Promise<T>
}

interface SessionWork<T> {
  run(session: Session): Promise<T>
  mayBeSent(error: SmtpFailure): boolean
}

async function inSession<T>(
  context: Context,
  signal: AbortSignal,
  work: SessionWork<T>,
): Promise<T> {
  const { user, pass = '' } = context.credentials
  let smtp: SMTPConnection | undefined
  try {
    signal.throwIfAborted()
    smtp = await createConnection(context)
    const session = { smtp, step: createStep(smtp, signal) }
    const { step } = session
    await step<void>((done) => session.smtp.connect((error) => done(error ?? null)))
    if (user !== undefined) {
      await step<void>((done) => session.smtp.login({ user, pass }, (error) => done(error ?? null)))
    }
    return await work.run(session)
  } catch (error) {
    const failure = withLastWords(error as SmtpFailure, smtp)
    const why = signal.aborted ? 'the mail server took too long' : explain(failure)
    throw new SmtpError(`Cannot send email: ${why}`, work.mayBeSent(failure))
  } finally {
    smtp?.close()
  }
}

async function createConnection(context: Context): Promise<SMTPConnection> {
  const { host, port, user, secure: given } = context.credentials
  const secure = given ?? port === 465
  const socket = context.isOperators ? undefined : await openSocket(context)
  const { default: Connection } = await import('nodemailer/lib/smtp-connection')
  return new Connection({
    host,
    port,
    secure,
    ...(socket === undefined ? {} : { connection: socket }),
    requireTLS:
      !secure &&
      socket !== undefined &&
      (isPublicAddress(socket.remoteAddress ?? '') || (user !== undefined && given === undefined)),
    tls: { rejectUnauthorized: true },
    connectionTimeout: 10_000,
    greetingTimeout: 10_000,
    socketTimeout: sessionTimeoutMs,
    socketCloseTimeout: 0,
    maxResponseSize: 64 * 1024,
  })
}

function openSocket({ outbound, credentials: { host, port } }: Context): Promise<Socket> {
  return outbound.connect({ hostname: host, port, allowedPorts: publicPorts })
}

function createStep(smtp: SMTPConnection, signal: AbortSignal): Session['step'] {
  const broken = Promise.withResolvers<never>()
  broken.promise.catch(() => undefined)
  smtp.on('error', broken.reject)
  // A command in progress first gets the server's last response, such as a 421, in the same turn.
  smtp.on('end', () =>
    setImmediate(() => broken.reject(new Error('the mail server closed the connection'))),
  )
  const onAbort = (): void => broken.reject(signal.reason)
  // The call may have been aborted while connecting.
  if (signal.aborted) onAbort()
  else signal.addEventListener('abort', onAbort, { once: true })
  return <T>(run: (done: (error: Error | null, value?: T) => void) => void) => {
    const result = new Promise<T>((resolve, reject) => {
      run((error, value) => (error === null ? resolve(value as T) : reject(error)))
    })
    result.catch(() => undefined)
    return Promise.race([result, broken.promise])
  }
}

/** nodemailer's errors. */
interface SmtpFailure extends Error {
  code?: string
  /** The error code of the system or TLS, if `code` is nodemailer's own. */
  originalCode?: string
  /** Status code of the server's response. */
  responseCode?: number
  response?: string
}

/**
 * If a server rejects and closes at once, nodemailer only reports the close; this restores the
 * response.
 */
function withLastWords(error: SmtpFailure, smtp: SMTPConnection | undefined): SmtpFailure {
  const last = smtp?.lastServerResponse
  if (error.code !== 'ECONNECTION' || typeof last !== 'string' || !/^[45]\d\d[ -]/.test(last))
    return error
  return Object.assign(error, {
    code: 'ELEFT',
    response: last,
    responseCode: Number(last.slice(0, 3)),
  })
}

function explain(error: SmtpFailure): string {
  if (error instanceof OutboundError || error instanceof SmtpError) return error.message
  const words = said(error.response ?? error.message)
  // The server answered in plain text, which was read as TLS.
  if (/wrong.version.number|packet length too long|unexpected message/i.test(error.message)) {
    return 'the mail server does not speak TLS from the first byte on this port; set secure to false for STARTTLS'
  }
  if (error.code === 'ETIMEDOUT' && /greeting/i.test(error.message)) {
    return 'the mail server sent no greeting; on a port with TLS from the first byte, such as 465, set secure to true'
  }
  if (error.code === 'ETLS' || /CERT|SIGN|SSL|TLS/.test(error.originalCode ?? '')) {
    return `no trusted TLS connection to the mail server: ${words}`
  }
  const what = failures[error.code ?? ''] ?? 'the mail server does not answer as one'
  return `${what}: ${words}`
}

/** Without this check nodemailer would send such an address unencoded. */
function checkLetters(smtp: SMTPConnection, { from, to }: { from: string; to: string[] }): void {
  const { _supportedExtensions: extensions } = smtp as unknown as { _supportedExtensions: string[] }
  const foreign = [from, ...to].find((address) => /[\u0080-\uffff]/.test(address))
  if (foreign === undefined || extensions.includes('SMTPUTF8')) return
  const why = `the mail server takes no address with letters outside ASCII (SMTPUTF8), such as ${foreign}`
  throw new SmtpError(why, false)
}

function said(response: string): string {
  return visibleText(response).replaceAll(/\s+/g, ' ').slice(0, 300)
}

interface Rejection {
  recipient?: string | undefined
  response?: string | undefined
}

const failures: Record<string, string> = {
  EAUTH: 'the mail server refused the login',
  ELEFT: 'the mail server refused and closed the connection',
  EENVELOPE: 'the mail server refused the sender or the receivers',
  EMESSAGE: 'the mail server refused the message',
  EDNS: 'the host of the mail server does not resolve',
  ETIMEDOUT: 'the mail server took too long; is secure right for this port?',
  ESOCKET: 'the connection to the mail server failed',
  ECONNECTION: 'the connection to the mail server failed',
}
