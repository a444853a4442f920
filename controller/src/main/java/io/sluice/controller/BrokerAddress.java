package io.sluice.controller;

/// Where clients reach a broker. Immutable.
public record BrokerAddress(int id, String host, int port) {}
