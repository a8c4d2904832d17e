import './lane.ts'
