import { randomInt } from 'node:crypto';

const ADJECTIVES = (
  'Able Agile Amber Ample Ancient Azure Bold Brave Bright Brisk Bronze Calm Candid Careful Cheerful Civil Clear Clever ' +
  'Coastal Cool Copper Coral Cosmic Curious Daring Dapper Deep Eager Early Earnest Easy Elegant Emerald Epic Fair Famous ' +
  'Fancy Fast Fearless Fine Fluent Fond Frank Fresh Friendly Gentle Glad Golden Grand Green Happy Hardy Honest Humble ' +
  'Ideal Indigo Ivory Jolly Joyful Keen Kind Lasting Light Lively Loyal Lucky Lunar Mellow Merry Mighty Modest Neat ' +
  'Noble Olive Open Patient Plucky Polite Proud Quick Quiet Rapid Ready Regal Robust Rosy Royal Sage Scarlet Serene ' +
  'Silver Sincere Smart Smooth Solar Solid Steady Stellar Sunny Sure Swift Tidy Tender True Upbeat Vivid Warm Wise Witty ' +
  'Young Zesty'
).split(' ');

const ANIMALS = (
  'Albatross Alpaca Antelope Badger Bear Beaver Bee Bison Bobcat Buffalo Butterfly Camel Capybara Cardinal Caribou Cat ' +
  'Cheetah Cobra Condor Cormorant Cougar Coyote Crab Crane Cricket Deer Dingo Dolphin Donkey Dove Dragonfly Duck Eagle ' +
  'Egret Elephant Elk Emu Falcon Ferret Finch Flamingo Fox Frog Gazelle Gecko Gibbon Giraffe Goat Goldfish Goose Gull ' +
  'Hamster Hare Hawk Hedgehog Heron Hippo Horse Ibex Ibis Iguana Impala Jackal Jaguar Jay Kangaroo Kestrel Kingfisher ' +
  'Kiwi Koala Lark Lemur Leopard Lion Llama Lobster Lynx Macaw Magpie Marmot Marten Meerkat Mole Moose Newt Octopus ' +
  'Oriole Osprey Ostrich Otter Owl Panda Panther Parrot Pelican Penguin Pigeon Puffin Quail Rabbit Raven Robin Salmon ' +
  'Seal Sparrow Squid Stork Swan Tapir Tiger Toucan Trout Turtle Walrus Whale Wolf Wombat Wren Yak Zebra'
).split(' ');

const oneOf = (words: readonly string[]): string => words[randomInt(words.length)]!;

/**
 * Returns a name for a customer without one, such as "Lively Otter". Two customers may have the
 * same name.
 */
export const randomName = (): string => `${oneOf(ADJECTIVES)} ${oneOf(ANIMALS)}`;
