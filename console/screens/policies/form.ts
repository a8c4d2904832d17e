import type { Policies, UpdatePolicies } from '../../../sdk/generated.ts'
import { rulesOf, textOfRules } from '../../parts/rules/rules-text.ts'
import { numberOf } from '../../ui/form/fields.ts'

/** The policies in the form: lists have one item per line. */
export interface Form {
  floor: Policies['approvals_floor']
  fourEyes: boolean
  requiresPendingId: boolean
  limitsHosts: boolean
  hosts: string
  actions: string
  /** JSON text; empty if there are no rules. */
  rules: string
  mails: string
}

export function policiesForm(policies: Policies): Form {
  return {
    floor: policies.approvals_floor,
    fourEyes: policies.four_eyes,
    requiresPendingId: policies.require_pending_id,
    limitsHosts: policies.web_fetch_hosts !== null,
    hosts: (policies.web_fetch_hosts ?? []).join('\n'),
    actions: policies.sensitive_actions.join('\n'),
    rules: textOfRules(policies.rules),
    mails: policies.mails_a_day === null ? '' : String(policies.mails_a_day),
  }
}

export function bodyOf(form: Form): UpdatePolicies {
  return {
    approvals_floor: form.floor,
    four_eyes: form.fourEyes,
    require_pending_id: form.requiresPendingId,
    web_fetch_hosts: form.limitsHosts ? linesOf(form.hosts.toLowerCase()) : null,
    sensitive_actions: linesOf(form.actions),
    rules: rulesOf(form.rules),
    mails_a_day: form.mails.trim() === '' ? null : numberOf(form.mails),
  }
}

function linesOf(text: string): string[] {
  return text.split(/[\s,]+/).filter((line) => line !== '')
}
