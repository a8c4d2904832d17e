import { defaultScopes, scopes } from './scopes.ts'

/** The documents in which clients find the authorization server, and what it offers. */

/** The resource that access tokens are for. */
export function mcpResource(publicUrl: string): string {
  return `${publicUrl}/mcp`
}

/** RFC 9728. `answer` is left out, so that clients ask for it only when they need it. */
export function resourceMetadata(publicUrl: string): object {
  return {
    resource: mcpResource(publicUrl),
    resource_name: 'Muster',
    authorization_servers: [publicUrl],
    scopes_supported: defaultScopes,
    bearer_methods_supported: ['header'],
  }
}

/** RFC 8414. */
export function serverMetadata(publicUrl: string): object {
  return {
    issuer: publicUrl,
    authorization_endpoint: `${publicUrl}/oauth/authorize`,
    token_endpoint: `${publicUrl}/oauth/token`,
    registration_endpoint: `${publicUrl}/oauth/register`,
    revocation_endpoint: `${publicUrl}/oauth/revoke`,
    scopes_supported: scopes,
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    token_endpoint_auth_methods_supported: ['none'],
    revocation_endpoint_auth_methods_supported: ['none'],
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
    client_id_metadata_document_supported: true,
  }
}
