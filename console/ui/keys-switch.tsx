import type { ReactNode } from 'react'
import { CheckField } from './form/field.tsx'
import { useKeysSetting } from './browser-settings.ts'
import { modKey } from './mod-key.ts'

/** Turns single-key shortcuts off, for dictation and for people who press keys by accident. */
export function KeysSwitch(): ReactNode {
  const [isOn, set] = useKeysSetting()
  return (
    <CheckField
      label="Single-key shortcuts"
      hint={`Such as j for the next case. Applies to this browser. ${modKey('K')} always works.`}
      checked={isOn}
      onChange={set}
    />
  )
}
