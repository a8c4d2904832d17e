import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { parseAllowedNetworks } from './address.ts'
import { OutboundError } from './outbound-error.ts'
import { badHosts } from './test-urls.ts'
import { checkUrl, type UrlRules } from './destination.ts'

const strict: UrlRules = { allowedNetworks: parseAllowedNetworks('') }
const local: UrlRules = { allowedNetworks: parseAllowedNetworks('127.0.0.0/8,fd00::/8') }

function why(text: string, rules = strict): string {
  try {
    checkUrl(text, rules)
  } catch (error) {
    assert.ok(error instanceof OutboundError)
    return error.message
  }
  assert.fail(`${text} was accepted`)
}

function accepted(text: string, rules = strict): string {
  return checkUrl(text, rules).href
}

describe('checkUrl', () => {
  it('accepts a host name of 253 characters', () => {
    const host = `${'a.'.repeat(125)}com`
    assert.equal(host.length, 253)
    assert.equal(accepted(`https://${host}/`), `https://${host}/`)
  })

  for (const [host, shown] of badHosts) {
    it(`refuses the host ${host}`, () => {
      const expected = `host ${shown} is not publicly reachable, expected hosts with public addresses only`
      assert.ok(why(`https://${host}/hook`).startsWith(`${expected}; the operator can allow`))
      assert.equal(why(`https://${host}:443/hook`), why(`https://${host}/hook`))
    })
  }

  const refused: [name: string, text: string, why: string | RegExp][] = [
    ['a tab', 'https://exa\tmple.com/', /white space/],
    ['a newline', 'https://example.com/\n', /white space/],
    ['a carriage return', '\rhttps://example.com/', /white space/],
    ['a leading space', ' https://example.com/', /white space/],
    ['a no-break space', 'https://example.com/\u00A0', /white space/],
    ['a NUL', 'https://example.com/\0', /invisible/],
    ['a soft hyphen', 'https://local\u00ADhost/', /invisible/],
    ['a zero-width space', 'https://example.com/\u200B', /invisible/],
    ['an unpaired surrogate', 'https://example.com/\uD800', /invisible/],
    ['a backslash', 'https://example.com\\@127.0.0.1/', 'holds a backslash, expected /'],
    ['http', 'http://example.com/', 'scheme http is not accepted, expected https'],
    ['file', 'file:///etc/passwd', 'scheme file is not accepted, expected https'],
    ['data', 'data:text/plain,x', /^scheme data/],
    ['javascript', 'javascript:alert(1)', /^scheme javascript/],
    ['gopher', 'gopher://example.com/', /^scheme gopher/],
    ['unix', 'unix:/run/docker.sock', /^scheme unix/],
    ['a relative URL', '/hook', 'is not absolute, expected an absolute https:// URL'],
    ['a scheme-relative URL', '//example.com/', /^is not absolute/],
    ['a bare host', 'example.com', /^is not absolute/],
    ['an empty text', '', /^is not absolute/],
    ['no slashes', 'https:example.com', /^has no host/],
    ['one slash', 'https:/example.com', /^has no host/],
    ['three slashes', 'https:///example.com', /^has no host/],
    ['no host', 'https://', /^has no host/],
    ['a user name', 'https://user@example.com/', /^has a user name or password/],
    ['a password', 'https://user:secret@example.com/', /^has a user name or password/],
    ['an empty user', 'https://@example.com/', /^has a user name or password/],
    ['a fragment', 'https://example.com/#x', /^has a fragment/],
    ['an empty fragment', 'https://example.com/#', /^has a fragment/],
    ['another port', 'https://example.com:8443/', /^port 8443 is not accepted, expected 443;/],
    ['port 80', 'https://example.com:80/', /^port 80 is not accepted, expected 443;/],
    ['port 0', 'https://example.com:0/', /^port 0 is not accepted, expected 443;/],
    ['a port out of range', 'https://example.com:65536/', /^is not a valid URL/],
    ['a trailing dot', 'https://example.com./', /^host example.com. ends in a dot/],
    ['localhost with a dot', 'https://localhost./', /^host localhost. ends in a dot/],
    ['an empty label', 'https://a..example.com/', /is not a host name/],
    ['a wildcard', 'https://*.example.com/', /is not a host name/],
    ['a long label', `https://${'a'.repeat(64)}.com/`, /is not a host name/],
    ['a long host', `https://${'a.'.repeat(130)}com/`, /^host name is too long/],
    ['five octets', 'https://1.2.3.4.5/', /^is not a valid URL/],
    ['an octet too large', 'https://127.0.0.256/', /^is not a valid URL/],
    ['an address with a zone', 'https://[fe80::1%25eth0]/', /^is not a valid URL/],
    ['a long text', `https://example.com/${'a'.repeat(2029)}`, /^has 2049 characters/],
  ]
  for (const [name, text, expected] of refused) {
    it(`refuses ${name}`, () => {
      if (typeof expected === 'string') assert.equal(why(text), expected)
      else assert.match(why(text), expected)
      assert.match(why(text), /, expected /)
      assert.doesNotMatch(why(text), /secret/)
    })
  }

  it('says what an operator can do, with an example for the host', () => {
    const setting = (host: string) =>
      /MUSTER_ALLOWED_NETWORKS=(\S+), see docs\/configuration\.md#private-networks$/.exec(
        why(`https://${host}/`),
      )?.[1]
    assert.equal(setting('localhost'), '127.0.0.0/8,::1/128')
    assert.equal(setting('127.0.0.1:11434'), '127.0.0.0/8')
    assert.equal(setting('192.168.1.20'), '192.168.1.20/32')
    assert.equal(setting('[fd00::7]'), 'fd00::7/128')
    assert.equal(setting('receiver.internal'), '10.0.0.0/8')
    assert.equal(setting('example.com:8443'), '10.0.0.0/8')
    for (const network of ['127.0.0.0/8,::1/128', '192.168.1.20/32', 'fd00::7/128'])
      assert.ok(parseAllowedNetworks(network).cidrs.length > 0)
  })

  it('accepts a public host, with path, query and the explicit port 443', () => {
    assert.equal(accepted('https://example.com/a?b=c'), 'https://example.com/a?b=c')
    assert.equal(accepted('HTTPS://Example.COM:443'), 'https://example.com/')
    assert.equal(accepted('https://bücher.example/'), 'https://xn--bcher-kva.example/')
    assert.equal(accepted('https://8.8.8.8/'), 'https://8.8.8.8/')
    assert.equal(accepted('https://[2606:4700::1111]/'), 'https://[2606:4700::1111]/')
    assert.equal(accepted('https://example.com/@user'), 'https://example.com/@user')
    const longest = `https://example.com/${'a'.repeat(2028)}`
    assert.equal(accepted(longest), longest)
  })

  it('accepts the ports that the operator allows', () => {
    const rules = { ...strict, allowedPorts: [8443] }
    assert.equal(accepted('https://example.com:8443/', rules), 'https://example.com:8443/')
    const refused = /^port 22 is not accepted, expected 443, 8443; the operator can allow/
    assert.match(why('https://example.com:22/', rules), refused)
  })

  it('accepts http only where the caller does, on its own port', () => {
    const rules = { ...strict, allowHttp: true }
    assert.equal(accepted('http://example.com/', rules), 'http://example.com/')
    assert.match(why('http://example.com:443/', rules), /^port 443 is not accepted, expected 80;/)
    assert.equal(
      why('ftp://example.com/', rules),
      'scheme ftp is not accepted, expected https and http',
    )
  })

  it('accepts addresses of allowed networks on any port, and leaves names to the look-up', () => {
    assert.equal(accepted('https://127.1:9000/', local), 'https://127.0.0.1:9000/')
    accepted('https://[::ffff:7f00:1]:9000/', local)
    accepted('https://[fd00::1]/', local)
    accepted('https://localhost:9000/', local)
    accepted('https://receiver.internal/', local)
    assert.match(why('https://10.0.0.1/', local), /not publicly reachable/)
    assert.match(why('https://8.8.8.8:9000/', local), /^port 9000/)
    assert.match(why('https://[fd00:ec2::254]/', local), /not publicly reachable/)
    assert.match(why('https://metadata.google.internal/', local), /not publicly reachable/)
    assert.match(why('http://127.0.0.1/', local), /^scheme http /)
  })
})
