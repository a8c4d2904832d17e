import { generateKeyPairSync, sign } from 'node:crypto'
import { isIPv4 } from 'node:net'

/**
 * For tests only: a self-signed certificate for one host name or IPv4 address, so that neither a
 * key is in the repository nor a tool must be installed. Node can read X.509 but not write it; this
 * is the necessary part of DER.
 */
export function makeCertificate(hostname: string): { cert: string; key: string } {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const algorithm = der(0x30, objectId('2a8648ce3d040302')) // ecdsa-with-SHA256
  const name = der(
    0x30,
    der(0x31, der(0x30, objectId('550403'), der(0x0c, Buffer.from(hostname)))), // commonName
  )
  const subject = isIPv4(hostname)
    ? der(0x87, Buffer.from(hostname.split('.').map(Number)))
    : der(0x82, Buffer.from(hostname))
  const alternativeName = der(0x30, objectId('551d11'), der(0x04, der(0x30, subject)))
  const body = der(
    0x30,
    der(0xa0, der(0x02, Buffer.from([2]))), // version 3
    der(0x02, Buffer.from([1])), // serial number
    algorithm,
    name,
    der(0x30, der(0x17, Buffer.from('200101000000Z')), der(0x17, Buffer.from('491231235959Z'))),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, der(0x30, alternativeName)),
  )
  const signature = Buffer.concat([Buffer.from([0]), sign('sha256', body, privateKey)])
  const base64 = der(0x30, body, algorithm, der(0x03, signature)).toString('base64')
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${base64.replace(/.{64}/g, '$&\n')}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
  }
}

function objectId(hex: string): Buffer {
  return der(0x06, Buffer.from(hex, 'hex'))
}

function der(tag: number, ...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts)
  const { length } = content
  const size =
    length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.from([tag, ...size]), content])
}
