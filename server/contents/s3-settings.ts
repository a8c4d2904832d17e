/**
 * `s3://[KEY:SECRET@]bucket[/prefix][?endpoint=URL&region=NAME&path_style=true|false]`: a bucket,
 * and how to reach it. Bucket and prefix are the store's permanent name; the rest may change, for
 * example when it moves to another server.
 */
export interface S3Settings {
  /** `s3://bucket/prefix`. */
  name: string
  /** Base URL of the objects, without a trailing slash; the bucket is in the host or the path. */
  baseUrl: string
  region: string
  /** From the URL, or else from the environment. */
  accessKeyId: string
  secretAccessKey: string
}

export type S3Keys = Pick<S3Settings, 'accessKeyId' | 'secretAccessKey'>

export const s3Form =
  's3://bucket/prefix, where needed with ?endpoint=https://host&region=eu-central-1&path_style=true'

/** Undefined if the text is not such a URL; the keys are null if neither it nor `keys` has them. */
export function parseS3Url(
  text: string,
): (Omit<S3Settings, keyof S3Keys> & { keys: S3Keys | null }) | undefined {
  const url = URL.parse(text)
  if (url?.protocol !== 's3:' || url.port !== '' || url.hash !== '') return undefined
  const { hostname: bucket, searchParams: query } = url
  const names = [...query.keys()]
  if (names.some((name) => !['endpoint', 'region', 'path_style'].includes(name))) return undefined
  if (new Set(names).size < names.length) return undefined
  const prefix = url.pathname.replaceAll(/^\/+|\/+$/g, '')
  if (!/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(bucket)) return undefined
  if (!/^([A-Za-z0-9_.-]+(\/[A-Za-z0-9_.-]+)*)?$/.test(prefix) || prefix.length > 200)
    return undefined
  const region = query.get('region') ?? 'us-east-1'
  if (!/^[a-z0-9-]{1,60}$/.test(region)) return undefined
  const keys = keysOf(url)
  const host = hostOf(query, region)
  // A certificate does not cover bucket names with dots as host names.
  const pathStyle = query.get('path_style') ?? String(query.has('endpoint') || bucket.includes('.'))
  if (keys === undefined || host === undefined || !['true', 'false'].includes(pathStyle))
    return undefined
  const path = prefix === '' ? '' : `/${prefix}`
  const origin =
    pathStyle === 'true' ? `${host.origin}/${bucket}` : `${host.protocol}//${bucket}.${host.host}`
  return { name: `s3://${bucket}${path}`, baseUrl: `${origin}${path}`, region, keys }
}

function keysOf({ username, password }: URL): S3Keys | null | undefined {
  if (username === '' && password === '') return null
  if (username === '' || password === '') return undefined
  try {
    const [accessKeyId, secretAccessKey] = [username, password].map(decodeURIComponent)
    return { accessKeyId: accessKeyId ?? '', secretAccessKey: secretAccessKey ?? '' }
  } catch {
    return undefined
  }
}

function hostOf(query: URLSearchParams, region: string): URL | undefined {
  const text = query.get('endpoint')
  if (text === null) return new URL(`https://s3.${region}.amazonaws.com`)
  const url = URL.parse(text)
  const isBare = url !== null && url.pathname === '/' && url.search === '' && url.hash === ''
  const isHttp = url !== null && ['http:', 'https:'].includes(url.protocol)
  return isBare && isHttp && url.username === '' && url.password === '' ? url : undefined
}
