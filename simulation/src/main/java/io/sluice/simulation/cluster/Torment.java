package io.sluice.simulation.cluster;

/// A [Nemesis] does what it likes. Immutable.
record Torment() implements Plot {
    @Override
    public void play(Stage stage) {
        Nemesis nemesis = new Nemesis(stage.cluster(), stage.facts(), stage.admin());
        nemesis.begin();
        stage.advance(stage.cluster().shape().torment());
        nemesis.end();
    }
}
