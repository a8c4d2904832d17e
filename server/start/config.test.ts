import assert from 'node:assert/strict'
import { mkdtempDisposable, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { ConfigError } from '../config-error.ts'
import { localUrl, readConfig } from './config.ts'

describe('the configuration', () => {
  it('has defaults for everything', () => {
    const config = readConfig({})
    assert.equal(config.databaseUrl, undefined)
    assert.match(config.dataDir, /\/\.muster$/)
    assert.deepEqual([config.host, config.port], ['127.0.0.1', 3000])
    assert.deepEqual(config.connections, { database: 8, reads: 4 })
    assert.deepEqual(
      [config.runConcurrency, config.accountConcurrency, config.rateLimitPerMinute],
      [500, 100, 600],
    )
    assert.equal(config.fineTunesPerAccount, 10)
    assert.deepEqual(config.providers.google, { apiKey: undefined, baseUrl: undefined })
    assert.deepEqual(config.retention, {
      eventsDays: 90,
      transcriptsDays: 90,
      deliveriesDays: 30,
      auditDays: 400,
      runsDays: 0,
    })
    assert.equal(config.logLevel, 'info')
  })

  it('says which variables look like settings and are none', () => {
    const env = {
      MUSTER_RATE_LIMITS: '5',
      MUSTER_SECRETKEY: 'x',
      MUSTER_MODELS_FILES_FOLDER_OF_THE_TEAM: '/x',
      // Variables of the command line, of Kubernetes and of other programs.
      MUSTER_API_KEY: 'mst_x',
      MUSTER_API_KEY_FILE: '/run/secrets/key',
      MUSTER_PROFILE: 'staging',
      MUSTER_URL: 'http://127.0.0.1',
      MUSTER_PORT: 'tcp://10.0.0.1:3000',
      MUSTER_PORT_3000_TCP_ADDR: '10.0.0.1',
      MUSTER_SERVICE_HOST: '10.0.0.1',
      MUSTERED: '1',
      MUSTER_SECRET_KEYS: '',
    }
    assert.deepEqual(readConfig(env).unknownSettings, [
      'MUSTER_RATE_LIMITS is not a setting, did you mean MUSTER_RATE_LIMIT?',
      'MUSTER_SECRETKEY is not a setting, did you mean MUSTER_SECRET_KEY?',
      'MUSTER_MODELS_FILES_FOLDER_OF_THE_TEAM is not a setting',
    ])
    const secret = readConfig({ MUSTER_ADMIN_KEY_FIL: '/run/secrets/key' })
    assert.match(secret.unknownSettings[0] ?? '', /did you mean MUSTER_ADMIN_KEY_FILE\?$/)
  })

  it('refuses one port for two servers', () => {
    const ports = { PORT: '3000', MUSTER_METRICS_PORT: '3000' }
    assert.throws(() => readConfig(ports), /MUSTER_METRICS_PORT is 3000, expected another port/)
    assert.equal(readConfig({ PORT: '0', MUSTER_METRICS_PORT: '0' }).metricsPort, 0)
  })

  it('takes what is set, and an empty value for unset', () => {
    const config = readConfig({
      DATABASE_URL: ' postgresql://a:b@c/d ',
      PORT: '0',
      MUSTER_RATE_LIMIT: '',
      MUSTER_SECRET_KEY: Buffer.alloc(32).toString('base64'),
      OPENAI_BASE_URL: 'http://127.0.0.1:1/v1/',
      GOOGLE_GENERATIVE_AI_API_KEY: 'g',
    })
    assert.equal(config.databaseUrl, 'postgresql://a:b@c/d')
    assert.equal(config.port, 0)
    assert.equal(config.rateLimitPerMinute, 600)
    assert.equal(config.secretKey?.length, 32)
    assert.equal(config.providers.openai.baseUrl, 'http://127.0.0.1:1/v1')
    assert.equal(config.providers.google.apiKey, 'g')
  })

  it('takes the words of other instrumentations for content in traces, off by default', () => {
    const read = (value: string) =>
      readConfig({ OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: value }).capturesContent
    for (const on of ['true', 'TRUE', 'SPAN_ONLY', 'span_and_event']) assert.equal(read(on), true)
    for (const off of ['', 'false', 'NO_CONTENT', 'EVENT_ONLY']) assert.equal(read(off), false)
    assert.throws(() => read('yes'), /CAPTURE_MESSAGE_CONTENT is "yes", expected true or false/)
  })

  it('takes stores of files from their URLs, each with keys', () => {
    const keys = {
      MUSTER_FILES_ACCESS_KEY_ID: 'id',
      MUSTER_FILES_SECRET_ACCESS_KEY: 'secret',
    }
    const { files } = readConfig({
      ...keys,
      MUSTER_FILES_URL: 's3://files/of/muster?region=eu-central-1',
      MUSTER_FILES_OTHER_URLS:
        's3://k:a%2Fb@old?endpoint=http://minio:9000, s3://o.d?endpoint=https://h&path_style=false',
    })
    const named = { accessKeyId: 'id', secretAccessKey: 'secret' }
    assert.deepEqual(files.store, {
      name: 's3://files/of/muster',
      baseUrl: 'https://files.s3.eu-central-1.amazonaws.com/of/muster',
      region: 'eu-central-1',
      ...named,
    })
    assert.deepEqual(files.otherStores, [
      {
        name: 's3://old',
        baseUrl: 'http://minio:9000/old',
        region: 'us-east-1',
        accessKeyId: 'k',
        secretAccessKey: 'a/b',
      },
      { name: 's3://o.d', baseUrl: 'https://o.d.h', region: 'us-east-1', ...named },
    ])
    assert.deepEqual(readConfig({}).files, { store: undefined, otherStores: [] })
    const one = 's3://files?region=eu-central-1'
    for (const [env, words] of [
      [{ MUSTER_FILES_URL: one }, /MUSTER_FILES_ACCESS_KEY_ID is unset/],
      [
        { MUSTER_FILES_URL: one, MUSTER_FILES_ACCESS_KEY_ID: 'id' },
        /MUSTER_FILES_SECRET_ACCESS_KEY is unset/,
      ],
      [
        { ...keys, MUSTER_FILES_URL: one, MUSTER_FILES_OTHER_URLS: 's3://files' },
        /each store once/,
      ],
    ] as const) {
      assert.throws(() => readConfig(env), words)
    }
  })

  it('takes a mail server from its URL, with a sender and never without', () => {
    const from = 'Muster <m@example.com>'
    const read = (url: string) =>
      readConfig({ MUSTER_SMTP_URL: url, MUSTER_EMAIL_FROM: from }).tools.smtp
    assert.deepEqual(read('smtps://a%40b:p%2Fw@mail.example.com'), {
      host: 'mail.example.com',
      port: 465,
      secure: true,
      user: 'a@b',
      pass: 'p/w',
      from,
    })
    assert.deepEqual(read('smtp://[::1]:2525'), { host: '::1', port: 2525, secure: false, from })
    const refused = [{ MUSTER_EMAIL_FROM: from }, { MUSTER_SMTP_URL: 'smtp://u:secret@h' }]
    for (const env of refused) {
      assert.throws(
        () => readConfig(env),
        (error) => {
          assert.ok(error instanceof ConfigError)
          assert.match(error.message, /^Cannot start: MUSTER_(SMTP_URL|EMAIL_FROM) is /)
          assert.doesNotMatch(error.message, /secret/)
          return true
        },
      )
    }
  })

  it('takes the issuer of sign-in as it is typed, over plain HTTP on this machine alone', () => {
    const read = (issuer: string, others = {}) =>
      readConfig({ MUSTER_OIDC_ISSUER: issuer, MUSTER_OIDC_CLIENT_ID: 'muster', ...others }).oidc
    for (const issuer of [
      'https://login.example.com/application/o/muster/',
      'https://login.example.com/realms/muster',
      'http://localhost:8080/realms/muster',
      'http://127.0.0.1:8080/',
      'http://[::1]:8080/a/',
    ]) {
      assert.equal(read(issuer)?.issuer.href, issuer)
    }
    for (const issuer of [
      'http://login.example.com',
      'http://10.0.0.1:8080/realms/muster',
      'http://localhost.example.com/',
      'http://keycloak:8080/realms/muster',
      'https://login.example.com/?a=b',
      'login.example.com',
    ]) {
      assert.throws(() => read(issuer), /MUSTER_OIDC_ISSUER .*expected an https:\/\/ URL/, issuer)
    }
    const issuer = 'https://login.example.com'
    const clientAuth = { MUSTER_OIDC_CLIENT_AUTH: 'client_secret_post' }
    assert.throws(() => read(issuer, clientAuth), /MUSTER_OIDC_CLIENT_SECRET/)
    const both = { ...clientAuth, MUSTER_OIDC_CLIENT_SECRET: 'x' }
    assert.equal(read(issuer, both)?.clientAuth, 'client_secret_post')
    const wrong = { ...both, MUSTER_OIDC_CLIENT_AUTH: 'basic' }
    assert.throws(() => read(issuer, wrong), /MUSTER_OIDC_CLIENT_AUTH .*client_secret_basic/)
  })

  it('takes the address of an egress proxy apart', () => {
    const read = (url: string) => readConfig({ MUSTER_EGRESS_PROXY: url }).egressProxy
    const plain = { hostname: 'proxy.example', port: 3128, authorization: undefined }
    assert.equal(readConfig({}).egressProxy, undefined)
    assert.deepEqual(read('http://proxy.example:3128'), plain)
    assert.deepEqual(read('http://a%40b:p%2Fw@[::1]/'), {
      hostname: '::1',
      port: 80,
      authorization: `Basic ${Buffer.from('a@b:p/w').toString('base64')}`,
    })
  })

  for (const [name, value, words] of [
    ['PORT', '70000', /"70000", expected a whole number from 0 to 65535/],
    ['PORT', '3e3', /"3e3"/],
    ['MUSTER_RUN_CONCURRENCY', '0', /from 1 to 10000/],
    ['MUSTER_RATE_LIMIT', '-1', /from 0/],
    ['MUSTER_RETAIN_EVENTS_DAYS', '1.5', /from 0 to 36500/],
    ['MUSTER_RETAIN_RUNS_DAYS', 'ever', /from 0 to 36500/],
    ['MUSTER_CORS_ORIGINS', '*', /"\*", expected up to 50 origins/],
    ['MUSTER_CORS_ORIGINS', 'https://a.example, null', /expected up to 50 origins/],
    ['MUSTER_CORS_ORIGINS', 'https://a.example/', /such as https:\/\/app\.example\.com/],
    ['MUSTER_CORS_ORIGINS', 'https://a.example:443', /expected up to 50 origins/],
    ['LOG_LEVEL', 'loud', /"loud", expected fatal, error, warn/],
    ['OPENAI_BASE_URL', 'ftp://x', /an http:\/\/ or https:\/\/ URL/],
    ['DATABASE_URL', 'mysql://u:secret@h/d', /a mysql:\/\/ URL, expected postgresql:/],
    ['MUSTER_SMTP_URL', 'http://u:secret@h', /not an SMTP URL, expected smtp:/],
    ['MUSTER_SMTP_URL', 'nonsense secret', /not an SMTP URL/],
    [
      'MUSTER_EGRESS_PROXY',
      'https://u:secret@h:1',
      /not the address of an HTTP proxy, expected http:/,
    ],
    ['MUSTER_EGRESS_PROXY', 'secret.example:3128', /expected http:\/\/host:port, or http:/],
    ['MUSTER_EGRESS_PROXY', 'http://u:secret@h:1/path', /not the address of an HTTP proxy/],
    ['MUSTER_EGRESS_PROXY', 'http://u:secret%@h:1', /% written as %25/],
    ['MUSTER_FILES_URL', 'https://secret.example/b', /not the URL of a bucket, expected s3:/],
    ['MUSTER_FILES_URL', 's3://secret_bucket', /not the URL of a bucket/],
    ['MUSTER_FILES_URL', 's3://k:secret%@files', /not the URL of a bucket/],
    ['MUSTER_FILES_URL', 's3://secret@files', /not the URL of a bucket/],
    ['MUSTER_FILES_URL', 's3://files/a//b', /not the URL of a bucket/],
    ['MUSTER_FILES_URL', 's3://files?endpoint=ftp://h', /not the URL of a bucket/],
    ['MUSTER_FILES_URL', 's3://files?endpoint=https://h/path', /not the URL of a bucket/],
    ['MUSTER_FILES_URL', 's3://files?key=secret', /not the URL of a bucket/],
    ['MUSTER_FILES_URL', 's3://files?path_style=yes', /not the URL of a bucket/],
    ['MUSTER_FILES_OTHER_URLS', 's3://k:s@files,nonsense', /not the URL of a bucket/],
    ['SLACK_BASE_URL', 'slack.com', /an http:\/\/ or https:\/\/ URL/],
    ['MUSTER_SECRET_KEY', 'c2VjcmV0', /a text of 8 characters, expected 32 bytes/],
    ['MUSTER_ADMIN_KEY', 'short secret', /a text of 12 characters/],
  ] as const) {
    it(`refuses ${name}=${value} in one line that names it and keeps secrets`, () => {
      assert.throws(
        () => readConfig({ [name]: value }),
        (error) => {
          assert.ok(error instanceof ConfigError)
          assert.ok(error.message.startsWith(`Cannot start: ${name} is `))
          assert.match(error.message, words)
          assert.doesNotMatch(error.message, /secret|c2VjcmV0|\n/)
          return true
        },
      )
    })
  }

  it('takes a secret from a file that NAME_FILE names, and not from both', async () => {
    await using folder = await mkdtempDisposable(join(tmpdir(), 'muster-secret-'))
    const path = join(folder.path, 'key')
    await writeFile(path, 'sk-from-a-file\n')
    assert.equal(
      readConfig({ OPENAI_API_KEY_FILE: path }).providers.openai.apiKey,
      'sk-from-a-file',
    )
    for (const [env, why] of [
      [{ OPENAI_API_KEY_FILE: path, OPENAI_API_KEY: 'sk' }, /OPENAI_API_KEY or this, not both/],
      [
        { DATABASE_URL_FILE: `${path}-gone` },
        /DATABASE_URL_FILE is ".*-gone", expected a file that can be read/,
      ],
      [
        { MUSTER_SECRET_KEY_FILE: path },
        /MUSTER_SECRET_KEY is a text of 14 characters, expected 32 bytes/,
      ],
    ] as const) {
      assert.throws(() => readConfig(env), why)
    }
  })

  it('knows the address for clients on this machine', () => {
    assert.equal(localUrl({ host: '0.0.0.0', port: 1 }), 'http://127.0.0.1:1')
    assert.equal(localUrl({ host: '::', port: 1 }), 'http://[::1]:1')
    assert.equal(localUrl({ host: 'fe80::1', port: 1 }), 'http://[fe80::1]:1')
    assert.equal(localUrl({ host: 'muster', port: 1 }), 'http://muster:1')
  })
})
